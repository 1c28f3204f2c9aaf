/** Child processes for the scripts; only Node's own modules, because they run before `npm ci`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program to its end. Its output goes to `onLine` line by line (default: straight to this terminal)
 * and the last 200 lines are returned with the exit code. Does not throw when the program fails.
 */
export async function run(command, args, { cwd, env, onLine, shell = false, input = 'ignore' } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: env ?? process.env,
    shell,
    stdio: onLine === undefined ? [input, 'inherit', 'inherit'] : [input, 'pipe', 'pipe'],
  });
  const lines = [];
  if (onLine !== undefined) {
    for (const stream of [child.stdout, child.stderr]) {
      forEachLine(stream, (line) => {
        lines.push(line);
        if (lines.length > 200) lines.shift();
        onLine(line);
      });
    }
  }
  try {
    const [code] = await once(child, 'close');
    return { code: code ?? 1, lines };
  } catch (error) {
    return { code: 127, lines: [`${command}: ${error.message}`] };
  }
}

/** Calls back for each line of a stream, the last one included when it has no line end. */
export function forEachLine(stream, callback) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    for (const part of parts) callback(part.replace(/\r$/, ''));
  });
  stream.on('end', () => {
    if (rest !== '') callback(rest);
  });
}

/** The environment without what an outer `npm run` put there, so that an inner npm starts from its own settings. */
export function cleanNpmEnvironment(extra = {}) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(registry|https?_proxy|proxy|cafile|userconfig)$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}
