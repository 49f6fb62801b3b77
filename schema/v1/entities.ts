// The types of Hansard's entities, made from their definitions by
// `hansard export-schema --format typescript`.

/**
 * A time as it goes over the wire: ISO text in UTC, to the microsecond. `new Date(moment)` reads
 * it to the millisecond; what is sent back (`updatedAt` is a version) must be the text.
 */
export type Moment = string;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A graph of an agent. */
export interface AgentGraph extends BaseRecordProps {
  name: string;
  description: string;
  nodes: Array<AgentGraphNode>;
  edges: Array<AgentGraphEdge>;
}

/** An edge of a graph. */
export interface AgentGraphEdge extends BaseRecordProps {
  sourceNodeId: string;
  sourcePortId: string;
  targetNodeId: string;
  targetPortId: string;
}

/** A run: when it began and ended, and how; each event has its `index` and the time `at`. */
export interface AgentGraphExecution extends BaseRecordProps {
  agentGraphId: string;
  status: Status;
  events: Array<Json>;
  startTime: Moment | null;
  endTime: Moment | null;
  recordedLater: boolean;
  eventsTotal?: number;
}

/** A node of a graph. */
export interface AgentGraphNode extends BaseRecordProps {
  nodeId: string;
  position: Position;
  parameters: Json;
}

/** What every entity has, and every turn, node and edge within one. All three are set here. */
export interface BaseRecordProps {
  id: string;
  createdAt: Moment;
  updatedAt: Moment;
}

/** A chat: the one thing that moves on when a thread is appended to. */
export interface ChatThread extends BaseRecordProps {
  name: string;
  description: string;
  threadId: string;
  participantId: string;
}

export type MessagePartial = TextPartial | ToolRequestPartial | ToolResponsePartial;

/** A conversation as it stood after one of its messages. */
export interface MessageThread extends BaseRecordProps {
  turns: Array<MessageTurn>;
  turnsTotal?: number;
}

/** What one sender said, until another did. */
export interface MessageTurn extends BaseRecordProps {
  senderId: string;
  partials: Array<MessagePartial>;
}

/** A measurement. It never changes: sums have been made of it. */
export interface Metric extends BaseRecordProps {
  name: string;
  dimensions: Record<string, string>;
  value: number;
}

/** A connection to a model. */
export interface ModelConnection extends BaseRecordProps {
  name: string;
  description: string;
  accessFormat: "gemini" | "openai" | "anthropic";
  providerId: string;
  modelId: string;
  data: Json;
}

/** Where a node is drawn. */
export interface Position {
  x: number;
  y: number;
}

/** The settings of a project. */
export interface Settings extends BaseRecordProps {
  lastPage: string;
  theme: string;
  [key: string]: Json;
}

export type Status = "notStarted" | "inProgress" | "completed" | "failed";

/** A document, with the version before it and the one after it. */
export interface TextDocument extends BaseRecordProps {
  title: string;
  type: "markdown";
  content: string;
  previousId: string | null;
  nextId: string | null;
}

/** Something said. */
export interface TextPartial {
  type: "text";
  payload: TextPayload;
}

/** What was said. */
export interface TextPayload {
  content: string;
}

/** A tool is asked. */
export interface ToolRequestPartial {
  type: "toolRequest";
  payload: ToolRequestPayload;
}

/** What a tool is asked. `shortId` names the tool. */
export interface ToolRequestPayload {
  callId: string;
  shortId: string;
  input: Json;
}

/** A tool has answered. */
export interface ToolResponsePartial {
  type: "toolResponse";
  payload: ToolResponsePayload;
}

/** What a tool answered. */
export interface ToolResponsePayload {
  callId: string;
  status: Status;
  output: string;
}

/** Each type under the name that `entity_create` takes. */
export interface Entities {
  textDocument: TextDocument;
  modelConnection: ModelConnection;
  messageThread: MessageThread;
  chatThread: ChatThread;
  agentGraph: AgentGraph;
  agentGraphExecution: AgentGraphExecution;
  metric: Metric;
  settings: Settings;
}

export type Entity = Entities[keyof Entities];
