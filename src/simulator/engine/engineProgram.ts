import { existsSync } from 'node:fs';
import path from 'node:path';
import { program, shellWord } from '../login/shell';

/** How the stand-in of an engine is run on a machine. */
export interface EngineProgram {
  /** The bundled `main.ts` of this folder. */
  readonly script: string;
  /** The file of `EngineScene`. */
  readonly sceneFile: string;
  /** From the start to the first answer (ms). */
  readonly startMs: number;
}

/** The engines of a machine by the names of their commands. */
export function engineTools({ script, sceneFile, startMs }: EngineProgram): ReadonlyMap<string, string> {
  return new Map(
    ['vllm', 'llama-server'].map((name) => [
      name,
      program(
        '# Plays an engine that serves models: nothing is downloaded, and no GPU is used.',
        // The editor's own runtime is Node only with this variable.
        'export ELECTRON_RUN_AS_NODE=1',
        `exec ${[process.execPath, script, sceneFile, String(Math.round(startMs)), name].map(shellWord).join(' ')} "$@"`,
      ),
    ]),
  );
}

/** Beside the bundled simulator. */
export function bundledEngine(): string | undefined {
  const script = path.join(__dirname, 'engine.js');
  return existsSync(script) ? script : undefined;
}
