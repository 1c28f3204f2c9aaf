import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { engineKey, healthOf } from './engineStandIn';
import type { AskedEngine } from './gatewayClients';
import { installedEngine } from './installed';
import { freePort } from './sshMachine';
import { writeTinyModel } from './tinyModel';
import { until } from './until';
import { useFolder } from './useFolder';

/** Servers of llama.cpp with the tiny model, with the arguments that the script of a machine gives them. They end with the test. */
export function useRealEngines(): (contextTokens?: number) => Promise<AskedEngine> {
  const started: ChildProcess[] = [];
  let folder = '';
  useFolder((own) => {
    folder = own;
  });
  afterEach(async () => {
    for (const engine of started.splice(0)) {
      const ended = once(engine, 'close');
      engine.kill('SIGKILL');
      await (engine.exitCode === null && engine.signalCode === null ? ended : undefined);
    }
  });
  return async (contextTokens = 0) => {
    const model = path.join(folder, 'tiny.gguf');
    writeTinyModel(model);
    const port = await freePort();
    const place = ['--host', '127.0.0.1', '--port', String(port)];
    const usual = ['--alias', 'qwen', '--metrics', '--jinja', '-np', '8', '--kv-unified'];
    const args = ['-m', model, ...place, ...usual, '-c', String(contextTokens)];
    const child = spawn(installedEngine(), args, {
      stdio: 'ignore',
      // More threads wait for each other where tests run side by side.
      env: { PATH: process.env['PATH'], HOME: folder, LLAMA_API_KEY: engineKey, LLAMA_ARG_THREADS: '1' },
    });
    started.push(child);
    const url = `http://127.0.0.1:${port}`;
    await until('the engine to be ready', async () => (await healthOf({ url })) === 200, { everyMs: 20 });
    return { port, kill: () => child.kill('SIGKILL') };
  };
}
