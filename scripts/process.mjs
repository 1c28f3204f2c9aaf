/** Child processes for the scripts; only Node's own modules, because they run before `npm ci`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

/**
 * Runs a program to its end. Its output goes to `onLine` line by line (default: straight to this terminal)
 * and the last 200 lines are returned with the exit code. Does not throw when the program fails.
 */
export async function run(command, args, { cwd, env, onLine, shell = false, input = 'ignore' } = {}) {
  // A shell gets one line, in which a path may have spaces.
  const words = [command, ...args].map((word) => (shell ? `"${word}"` : word));
  const child = spawn(words[0], words.slice(1), {
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
    const line = `${command}: ${error.message}`;
    onLine?.(line);
    return { code: 127, lines: [line] };
  }
}

/** Says twice a minute how long `work` has taken, for a program that says nothing until its end. */
export async function withProgress(what, say, work, everyMs = 30_000) {
  const startedAt = Date.now();
  const tick = setInterval(
    () => say(`  … ${what}: ${Math.round((Date.now() - startedAt) / 1000)} s`),
    everyMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(tick);
  }
}

/** Runs npm, which is a script for the command shell on Windows. */
export function runNpm(args, options) {
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
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
    ([name]) => !/^npm_(?!config_(registry|https?_proxy|proxy|noproxy|cafile|cache|userconfig)$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

/** Codes of npm that it names in `npm error code`, and what the user can do. */
const unreachable = [
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ERR_SOCKET_TIMEOUT',
  'ETIMEDOUT',
];
const unwritable = ['EACCES', 'ENOSPC', 'EPERM', 'EROFS'];

/** The error of an npm command: one line where the network, the disk or npm itself is missing, else its last lines. */
export function npmFailure(command, exitCode, lines) {
  if (exitCode === 127) return new Error('npm was not found. Install it beside Node.');
  const named = (what) =>
    lines.map((line) => new RegExp(`^npm (?:error|ERR!) ${what} (.+)$`).exec(line)?.[1]).find(Boolean);
  const code = named('code');
  if (unreachable.includes(code)) {
    return new Error(
      `${command} could not reach the npm registry (${code}). Check the network or the proxy, and start again.`,
    );
  }
  if (unwritable.includes(code)) {
    return new Error(`${command} could not write ${named('path') ?? 'its files'} (${code}).`);
  }
  const said = lines.filter((line) => !/^npm (?:error|ERR!) +at /.test(line));
  return new Error(`${command} failed:\n${said.slice(-30).join('\n')}`);
}

/** What the command line says, as `parseArgs` reads it; one that it can't read ends the script with the reason. */
export function readOptions(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
