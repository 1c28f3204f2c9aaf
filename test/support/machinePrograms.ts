import { execFileSync, spawnSync } from 'node:child_process';

/** What the scripts for machines may use. */
export const shellTools = [
  'sh',
  'cat',
  'date',
  'find',
  'grep',
  'head',
  'kill',
  'mkdir',
  'rm',
  'rmdir',
  'sed',
  'setsid',
  'sleep',
  'tail',
  'touch',
  'tr',
];

/** Those of this computer; Python is one of them, since the editor of the tests is compiled with it. */
export const httpTools = ['curl', 'python3', 'wget'].filter(
  (tool) => spawnSync(tool, ['--version']).status === 0,
);

/** Python is asked for its own place: what is found first may be a script that needs more than this. */
export function placeOf(tool: string): string {
  const [program, ...args] =
    tool === 'python3'
      ? ['python3', '-c', 'import sys; print(sys.executable)']
      : ['sh', '-c', `command -v ${tool} || echo /bin/${tool}`];
  return execFileSync(program, args, { encoding: 'utf8' }).trim();
}
