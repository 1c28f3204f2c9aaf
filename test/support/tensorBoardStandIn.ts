import { writeFileSync } from 'node:fs';
import path from 'node:path';

const program = `#!/usr/bin/python3
import argparse, http.server, os, subprocess, sys
given = argparse.ArgumentParser()
given.add_argument("--logdir")
given.add_argument("--host")
given.add_argument("--port", type=int)
given = given.parse_args()
class Shows(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(given.logdir.encode())
    def log_message(self, *rest):
        pass
server = http.server.HTTPServer((given.host, given.port), Shows)
child = subprocess.Popen(["sleep", "600"])
with open(os.environ["HOME"] + "/tensorboard.pids", "a") as pids:
    pids.write("%d %d\\n" % (os.getpid(), child.pid))
print("NOTE: Using experimental fast data loading logic.", file=sys.stderr)
print("TensorBoard 2.20.0 at http://%s:%d/ (Press CTRL+C to quit)" % (given.host, server.server_port), file=sys.stderr, flush=True)
server.serve_forever()
`;

/** A program in this folder that is called and speaks as TensorBoard, and answers with the folder of its logs. */
export function tensorBoardStandIn(bin: string): void {
  writeFileSync(path.join(bin, 'tensorboard'), program, { mode: 0o755 });
}
