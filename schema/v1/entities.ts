// The types of Hansard's entities, made from their definitions by
// `hansard export-schema --format typescript`. Times are ISO texts in UTC.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A graph of an agent. */
export interface AgentGraph {
  id: string;
  createdAt: string;
  updatedAt: string;
  name: string;
  description: string;
  nodes: Array<AgentGraphNode>;
  edges: Array<AgentGraphEdge>;
}

/** An edge of a graph. */
export interface AgentGraphEdge {
  id: string;
  createdAt: string;
  updatedAt: string;
  sourceNodeId: string;
  sourcePortId: string;
  targetNodeId: string;
  targetPortId: string;
}

/** A run: when it began and ended, and how; each event has its `index` and the time `at`. */
export interface AgentGraphExecution {
  id: string;
  createdAt: string;
  updatedAt: string;
  agentGraphId: string;
  status: Status;
  events: Array<Json>;
  startTime: string | null;
  endTime: string | null;
}

/** A node of a graph. */
export interface AgentGraphNode {
  id: string;
  createdAt: string;
  updatedAt: string;
  nodeId: string;
  position: Position;
  parameters: Json;
}

/** A chat: the one thing that moves on when a thread is appended to. */
export interface ChatThread {
  id: string;
  createdAt: string;
  updatedAt: string;
  name: string;
  description: string;
  threadId: string;
  participantId: string;
}

/** A conversation as it stood after one of its messages. */
export interface MessageThread {
  id: string;
  createdAt: string;
  updatedAt: string;
  turns: Array<MessageTurn>;
}

/** What one sender said, until another did. */
export interface MessageTurn {
  id: string;
  createdAt: string;
  updatedAt: string;
  senderId: string;
  partials: Array<TextPartial | ToolRequestPartial | ToolResponsePartial>;
}

/** A measurement. It never changes: sums have been made of it. */
export interface Metric {
  id: string;
  createdAt: string;
  updatedAt: string;
  name: string;
  dimensions: Record<string, string>;
  value: number;
}

/** A connection to a model. */
export interface ModelConnection {
  id: string;
  createdAt: string;
  updatedAt: string;
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
export interface Settings {
  id: string;
  createdAt: string;
  updatedAt: string;
  lastPage: string;
  theme: string;
  [key: string]: Json;
}

export type Status = "notStarted" | "inProgress" | "completed" | "failed";

/** A document, with the version before it and the one after it. */
export interface TextDocument {
  id: string;
  createdAt: string;
  updatedAt: string;
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
