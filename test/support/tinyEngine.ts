import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Serves } from '../../src/jobs/model/serves';
import { engineKeyProgram, readEngineKey, type EngineKey } from '../../src/models/machine/engineKey';
import { serveScript, type ServePlace } from '../../src/models/machine/serveScript';
import { writeScene, type EngineScene } from '../../src/simulator/engine/engineScene';
import { engineFolder } from './engineStandIn';
import { isAlive } from './processes';
import { until } from './until';

/** Of the machine's jobs, as `attemptId` makes it. */
export const tinyJobId = 'abcdef0123456789';

/**
 * What an engine of a test is written with: `args`, `option(name)`, `print(line…)`, `start` (1, 2, …), `key`, `counters`, and
 * `serve(answers)`, which listens and answers as vLLM does unless `answers` has another way for a path.
 */
const prelude = `
const http = require('node:http'), fs = require('node:fs'), path = require('node:path');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const print = (...lines) => process.stdout.write(lines.map((line) => line + '\\n').join(''));
const isVllm = args[0] === 'serve';
const key = isVllm ? process.env.VLLM_API_KEY : process.env.LLAMA_API_KEY;
const hub = path.join(process.env.HF_HOME, 'hub', 'models--org--tiny');
fs.appendFileSync(process.env.HOME + '/starts', JSON.stringify({ args, pid: process.pid }) + '\\n');
const start = fs.readFileSync(process.env.HOME + '/starts', 'utf8').trim().split('\\n').length;
const counters = { running: 0, waiting: 0, prompt: 0, output: 0, requests: 0 };
const end = (res, status, body, type = 'application/json') => {
  res.writeHead(status, { 'content-type': type });
  res.end(typeof body === 'string' ? body : JSON.stringify(body));
};
const usual = {
  '/health': (req, res) => end(res, 200, ''),
  '/v1/models': (req, res) =>
    end(res, 200, { data: [isVllm ? { id: 'tiny', max_model_len: 4096 } : { id: 'tiny', meta: { n_ctx_train: 9999, n_ctx: 4096 } }] }),
  '/metrics': (req, res) =>
    end(res, 200, isVllm
      ? '# HELP x\\nvllm:num_requests_running{engine="0",model_name="a b"} ' + counters.running + '.0\\nvllm:num_requests_waiting{engine="0"} ' + counters.waiting + '\\nvllm:prompt_tokens_total{engine="0"} ' + counters.prompt + '.0\\nvllm:generation_tokens_total{engine="0"} ' + counters.output + '.0\\nvllm:request_success_total{finished_reason="stop"} ' + counters.requests + '\\nvllm:request_success_total{finished_reason="length"} 0\\nvllm:generation_tokens_created 1.7e+09\\n'
      : 'llamacpp:requests_processing ' + counters.running + '\\nllamacpp:requests_deferred 0\\nllamacpp:prompt_tokens_total ' + counters.prompt + '\\nllamacpp:tokens_predicted_total ' + counters.output + '\\n', 'text/plain'),
  '/v1/chat/completions': (req, res, body) => {
    counters.prompt += 10;
    counters.output += 4;
    counters.requests += 1;
    const message = body.tools
      ? { content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'get_time', arguments: '{"city":"Paris"}' } }] }
      : { content: 'Hi' };
    end(res, 200, { choices: [{ message }], usage: { prompt_tokens: 10, completion_tokens: 4 } });
  },
};
function serve(answers = {}) {
  const server = http.createServer((req, res) => {
    let text = '';
    req.on('data', (piece) => (text += piece));
    req.on('end', () => {
      const isGuarded = req.url.startsWith('/v1/') || !isVllm && req.url === '/metrics';
      if (isGuarded && req.headers.authorization !== 'Bearer ' + key) return end(res, 401, { error: { message: 'no' } });
      const answer = answers[req.url] ?? usual[req.url];
      return answer ? answer(req, res, text && JSON.parse(text)) : end(res, 404, {});
    });
  });
  server.listen(Number(option('--port')), option('--host'));
  return server;
}
`;

export interface TinyRun {
  readonly home: string;
  /** All that it printed so far. */
  log(): string;
  /** Waits for a line. */
  said(form: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** The exit code, once nothing of it is left. */
  readonly code: Promise<number | null>;
  key(): Promise<EngineKey>;
  starts(): readonly { readonly args: readonly string[]; readonly pid: number }[];
  /** A file of the folder that the script works in. */
  file(name: string): string;
  /** Asks the engine as a client does; its own engines read nothing of the body. */
  chat(body?: string): Promise<number>;
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

export const tiny: Serves = {
  name: 'tiny',
  repository: 'org/tiny',
  engine: 'vllm',
  gpus: 1,
  maxSequences: 8,
  idleMinutes: 0,
};

interface TinyMachine {
  readonly env?: NodeJS.ProcessEnv;
  /** Writes more into the home folder, in which the script runs. */
  readonly prepare?: (home: string) => void;
}

/**
 * Serves on this computer, as a job does, with an engine whose program is the prelude and `engine`, or with the stand-in of the
 * simulator.
 */
export async function serveTiny(
  engine: string | EngineScene,
  serves: Partial<Serves> = {},
  { env = {}, prepare, ...place }: ServePlace & TinyMachine = {},
): Promise<TinyRun> {
  const home = mkdtempSync(path.join(tmpdir(), 'serve-'));
  const job = path.join(home, '.gpu-rental', 'jobs', `${tinyJobId}01`);
  const bin = path.join(home, 'bin');
  [job, bin].forEach((folder) => mkdirSync(folder, { recursive: true }));
  const wanted = { ...tiny, ...serves };
  if (typeof engine === 'string') {
    writeEngine(bin, wanted.engine === 'vllm' ? 'vllm' : 'llama-server', engine);
  } else {
    writeScene(engineFolder(bin, standInMs).sceneFile, engine);
  }
  prepare?.(home);
  const script = path.join(job, 'run.sh');
  writeFileSync(script, serveScript(wanted, { lookSeconds: 1, port: await freePort(), ...place }));
  const child = spawn('bash', ['-eo', 'pipefail', script], {
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: home, GPU_RENTAL_JOB_FOLDER: job, ...env },
  });
  return runOf(child, home, job);
}

/** From the start of the stand-in to its answer (ms). */
const standInMs = 500;

/** Writes an engine into a folder of the path: the prelude, and what is its own. */
export function writeEngine(bin: string, name: 'vllm' | 'llama-server', engine: string): void {
  writeFileSync(path.join(bin, name), `#!${process.execPath}\n${prelude}\n${engine}`, { mode: 0o755 });
}

function runOf(child: ChildProcess, home: string, job: string): TinyRun {
  const pieces: Buffer[] = [];
  child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
  child.stderr?.on('data', (piece: Buffer) => pieces.push(piece));
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const log = () => Buffer.concat(pieces).toString();
  const key = () =>
    until('the key', async () => {
      const asked = spawn('sh', ['-c', engineKeyProgram(tinyJobId)], { env: { HOME: home } });
      let output = '';
      asked.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
      await new Promise((resolve) => asked.once('close', resolve));
      return readEngineKey(output);
    });
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid ?? 0), name);
    } catch {
      // It has ended.
    }
  };
  return {
    home,
    log,
    code,
    key,
    signal,
    said: (form, timeoutMs = 60_000) =>
      until(`${String(form)} in\n${log()}`, () => form.exec(log()) ?? undefined, { timeoutMs }).catch(() => {
        throw new Error(`${String(form)} is not in\n${log().slice(-3000)}`);
      }),
    starts: () => {
      const file = path.join(home, 'starts');
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
      return lines.map((line) => JSON.parse(line) as { args: readonly string[]; pid: number });
    },
    file: (name) => path.join(job, 'serving', name),
    chat: async (body = '{}') => {
      const { port, key: own } = await key();
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own}` },
        body,
      });
      await response.text();
      return response.status;
    },
    close: async () => {
      signal('SIGTERM');
      await code;
      for (const pid of processesIn(home)) {
        process.kill(pid, 'SIGKILL');
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Serves as `serveTiny` does; each run is closed after its test. */
export function useTiny(): typeof serveTiny {
  const runs: TinyRun[] = [];
  afterEach(async () => {
    await Promise.all(runs.splice(0).map((run) => run.close()));
  });
  return async (...args) => {
    const run = await serveTiny(...args);
    runs.push(run);
    return run;
  };
}

/** Neither a process nor the key of a run that has ended is there. */
export function assertNothingLeft(run: TinyRun): void {
  assert.deepEqual(processesIn(run.home), [], 'a process is left');
  assert.ok(!existsSync(run.file('key')), 'the key is left');
}

/** Processes of a run, by the home folder in their environment. */
export function processesIn(home: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${home}\0`) && isAlive(Number(pid))
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
