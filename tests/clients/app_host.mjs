// A host of MCP Apps on the official AppBridge: shows a view in a frame under the policy that the
// extension sets when a resource asks for no origin, and passes its calls on to whoever runs the test.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

window.host = { sizes: [] };

window.showView = async ({ html, capabilities, context, input, result }) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 100%; height: 600px; border: 0";
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  document.body.append(frame);

  const bridge = new AppBridge(null, { name: "headless", version: "1" }, capabilities, { hostContext: context });
  bridge.oncalltool = (params) => window.callServer(params);
  bridge.onsizechange = ({ height }) => window.host.sizes.push(height);
  const begun = new Promise((done) => {
    bridge.oninitialized = done;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await begun;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
  window.host.bridge = bridge;
};
