import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engineTools } from '../../src/simulator/engine/engineProgram';
import { writeScene, type EngineScene } from '../../src/simulator/engine/engineScene';
import { writeProgram } from '../../src/simulator/login/machineDir';
import { bundled } from './bundled';
import { repository } from './installed';
import { freePort } from './sshMachine';
import { until } from './until';

/** The stand-in for an engine as a process, as it runs on a simulated machine. */
export interface EngineStandIn {
  readonly port: number;
  readonly url: string;
  /** The folder in which it was started as its home. */
  readonly home: string;
  readonly process: ChildProcess;
  /** What it printed. */
  log(): string;
  play(scene: EngineScene): void;
  /** The exit code. */
  ended(): Promise<number | null>;
}

export interface WantedEngine {
  readonly engine?: 'vllm' | 'llama-server';
  readonly model?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly scene?: EngineScene;
  readonly startMs?: number;
}

export const engineKey = 'engine-key-0123456789';

/** Folder of programs that play engines, for the `PATH` of a script that runs as on a machine. */
export function engineFolder(folder: string, startMs: number): { bin: string; sceneFile: string } {
  const sceneFile = path.join(folder, 'engine.json');
  const script = bundled(path.join(repository, 'src/simulator/engine/main.ts'));
  engineTools({ script, sceneFile, startMs }).forEach((text, name) => {
    writeProgram(path.join(folder, name), text);
  });
  return { bin: folder, sceneFile };
}

/** Engines that end with the test. `start` returns at once; `ready` waits until they answer. */
export function useEngines(): {
  start(wanted?: WantedEngine): Promise<EngineStandIn>;
  ready(wanted?: WantedEngine): Promise<EngineStandIn>;
} {
  const started: EngineStandIn[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const engine of started.splice(0)) {
      engine.process.kill('SIGKILL');
      await engine.ended();
    }
    folders.splice(0).forEach((folder) => {
      rmSync(folder, { recursive: true, force: true });
    });
  });
  const start = async (wanted: WantedEngine = {}): Promise<EngineStandIn> => {
    const home = mkdtempSync(path.join(os.tmpdir(), 'gr-engine-'));
    folders.push(home);
    const engine = await startEngine(home, wanted);
    started.push(engine);
    return engine;
  };
  return {
    start,
    ready: async (wanted) => {
      const engine = await start(wanted);
      await until('the engine to be ready', async () => (await healthOf(engine)) === 200, { everyMs: 20 });
      return engine;
    },
  };
}

async function startEngine(
  home: string,
  { engine = 'vllm', model = 'Qwen/Qwen3-8B', args = [], env = {}, scene = {}, startMs = 100 }: WantedEngine,
): Promise<EngineStandIn> {
  const { bin, sceneFile } = engineFolder(home, startMs);
  writeScene(sceneFile, scene);
  const port = await freePort();
  const first =
    engine === 'vllm' ? ['serve', model, '--served-model-name', 'qwen'] : ['-hf', model, '-a', 'qwen'];
  const keyName = engine === 'vllm' ? 'VLLM_API_KEY' : 'LLAMA_API_KEY';
  const child = spawn(
    path.join(bin, engine),
    [...first, '--host', '127.0.0.1', '--port', String(port), ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: home, [keyName]: engineKey, ...env },
    },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      printed += piece.toString('utf8');
    });
  }
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    home,
    process: child,
    log: () => printed,
    play: (next) => {
      writeScene(sceneFile, next);
    },
    ended: () => ended,
  };
}

export async function healthOf({ url }: Pick<EngineStandIn, 'url'>): Promise<number> {
  return fetch(`${url}/health`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}
