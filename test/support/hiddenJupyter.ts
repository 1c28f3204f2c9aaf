import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes the Python of a simulated machine one without Jupyter, until its pip was asked to install it. Both lie in the
 * folder for packages of the user, from which Python loads them by itself.
 */
export function hideJupyter(home: string): void {
  const site = execFileSync('/usr/bin/python3', ['-c', 'import site; print(site.getusersitepackages())'], {
    env: { HOME: home },
    encoding: 'utf8',
  }).trim();
  mkdirSync(path.join(site, 'pip'), { recursive: true });
  const marker = JSON.stringify(path.join(home, 'pip.log'));
  writeFileSync(
    path.join(site, 'usercustomize.py'),
    [
      'import importlib.util as util, os',
      'find = util.find_spec',
      `hides = lambda name: name in ("jupyter_server", "notebook") and not os.path.exists(${marker})`,
      'util.find_spec = lambda name, *more: None if hides(name) else find(name, *more)',
      '',
    ].join('\n'),
  );
  writeFileSync(path.join(site, 'pip', '__init__.py'), '');
  writeFileSync(
    path.join(site, 'pip', '__main__.py'),
    [
      'import sys',
      'print("Collecting jupyter_server")',
      `open(${marker}, "a").write(" ".join(sys.argv[1:]) + "\\n")`,
      '',
    ].join('\n'),
  );
}
