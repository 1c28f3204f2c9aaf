import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from './until';

const program = `
import http.server, os, subprocess, sys
home = sys.argv[1]
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        state = open(home + "/state").read()
        allowed = self.headers["Authorization"] == "token " + open(home + "/.gpu-rental/jupyter/token").read()
        if self.path == "/elsewhere":
            state = "idle"
        self.send_response(302 if state == "elsewhere" else 500 if state == "broken" else 200 if allowed else 403)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(('[{"execution_state": "%s"}]' % state).encode())
    def log_message(self, *rest):
        pass
kernels = {"waits": "sleep 600", "works": "while :; do :; done"}
if len(sys.argv) > 2:
    kernel = subprocess.Popen(["sh", "-c", kernels[sys.argv[2]]], start_new_session=True)
    open(home + "/kernel", "w").write(str(kernel.pid))
server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
open(home + "/port.new", "w").write(str(server.server_port))
os.rename(home + "/port.new", home + "/port")
server.serve_forever()
`;

/**
 * A server with one kernel, whose state stands in the file `state` of the home folder: `broken` is an error, and `elsewhere` a
 * redirection to an idle one. Its arguments are those of ours.
 * With `kernel` it has a process for it, which waits or computes.
 */
export async function jupyterStandIn(home: string, kernel?: 'waits' | 'works') {
  const modules = path.join(home, 'modules');
  mkdirSync(modules);
  writeFileSync(path.join(modules, 'jupyter_server.py'), program);
  const child = spawn('/usr/bin/python3', ['-m', 'jupyter_server', home, ...(kernel ? [kernel] : [])], {
    env: { PYTHONPATH: modules, HOME: home },
    stdio: 'ignore',
  });
  const port = path.join(home, 'port');
  await until('the server', () => existsSync(port));
  const kernelPid = kernel && Number(readFileSync(path.join(home, 'kernel'), 'utf8'));
  /** Hundredths of a second that the kernel has computed. */
  const worked = () => {
    const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${String(kernelPid)}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return Number(user) + Number(system);
  };
  const end = () => {
    child.kill('SIGKILL');
    if (kernelPid !== undefined) {
      process.kill(-kernelPid, 'SIGKILL');
    }
  };
  return { pid: child.pid, port: Number(readFileSync(port, 'utf8')), worked, end };
}
