/**
 * Plays an engine that serves a model, with the arguments, the log and the HTTP interface of vLLM and of llama.cpp's
 * server: `engine.js SCENE START_MS vllm serve org/name …`. It downloads nothing, computes nothing, and says in its
 * answers that it is a stand-in.
 */
import { EngineArgumentsError, engineOptions } from './engineArguments';
import { readScene } from './engineScene';
import { EngineServer } from './engineServer';
import { startUp } from './startUp';

async function main(): Promise<number> {
  const [sceneFile = '', startMs = '0', engine, ...args] = process.argv.slice(2);
  const options = engineOptions(engine, args, process.env);
  const server = new EngineServer(options, () => readScene(sceneFile), tokenMs(Number(startMs)));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(0));
  }
  return startUp(options, readScene(sceneFile), { server, startMs: Number(startMs) });
}

/** A start that is shortened for tests has quick answers as well. */
function tokenMs(startMs: number): number {
  return Math.min(20, Math.round(startMs / 500));
}

main().then(
  (code) => {
    if (code !== 0) {
      process.exit(code);
    }
  },
  (error: unknown) => {
    const isUsage = error instanceof EngineArgumentsError;
    process.stderr.write(`${error instanceof Error && isUsage ? error.message : String(error)}\n`);
    process.exit(isUsage ? 2 : 1);
  },
);
