import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from './until';

const program = `
import http.server, os, sys
home = sys.argv[1]
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        state = open(home + "/state").read()
        allowed = self.headers["Authorization"] == "token " + open(home + "/.gpu-rental/jupyter/token").read()
        self.send_response(500 if state == "broken" else 200 if allowed else 403)
        self.end_headers()
        self.wfile.write(('[{"execution_state": "%s"}]' % state).encode())
    def log_message(self, *rest):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
open(home + "/port.new", "w").write(str(server.server_port))
os.rename(home + "/port.new", home + "/port")
server.serve_forever()
`;

/** A server with one kernel, whose state stands in the file `state` of the home folder. Its arguments are those of ours. */
export async function jupyterStandIn(home: string) {
  const modules = path.join(home, 'modules');
  mkdirSync(modules);
  writeFileSync(path.join(modules, 'jupyter_server.py'), program);
  const child = spawn('/usr/bin/python3', ['-m', 'jupyter_server', home], {
    env: { PYTHONPATH: modules, HOME: home },
    stdio: 'ignore',
  });
  const port = path.join(home, 'port');
  await until('the server', () => existsSync(port));
  return { pid: child.pid, port: Number(readFileSync(port, 'utf8')), end: () => child.kill() };
}
