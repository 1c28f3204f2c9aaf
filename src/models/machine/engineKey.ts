import { quoteForShell } from '../../ssh/commandLine';

/** Where the engine of a served model listens on its machine, and the key that it asks for. */
export interface EngineKey {
  /** Of 127.0.0.1 on the machine. */
  readonly port: number;
  /** 64 hexadecimal digits, another one for each start. */
  readonly key: string;
}

/** Returns the program for `ssh.exec` that prints the key of what the job serves; `readEngineKey` reads it. */
export function engineKeyProgram(jobId: string): string {
  return [
    ...eachFolder(jobId),
    '  read -r port <"$own/port" && read -r key <"$own/key" && echo "gpu-rental engine $port $key"',
    'done 2>/dev/null',
    'exit 0',
  ].join('\n');
}

/** Returns undefined if nothing is served. Start-up files of the machine may print more. */
export function readEngineKey(output: string): EngineKey | undefined {
  // The last attempt of the job is the one that runs.
  const found = [...output.matchAll(/^gpu-rental engine (\d{1,5}) ([0-9a-f]{64})\r?$/gm)].at(-1);
  const port = Number(found?.[1]);
  return found?.[2] !== undefined && port > 0 && port < 65_536 ? { port, key: found[2] } : undefined;
}

/** Returns the program for `ssh.exec` that has the idle time of a served model begin again; prints `kept` once it has. */
export function keepServingProgram(jobId: string): string {
  return [
    ...eachFolder(jobId),
    '  [ -e "$own/key" ] && : >"$own/keep" && echo "gpu-rental kept"',
    'done 2>/dev/null',
    'exit 0',
  ].join('\n');
}

export const isKept = (output: string): boolean => /^gpu-rental kept\r?$/m.test(output);

/** Each attempt of a job has a folder, named by the job and two digits. */
function eachFolder(jobId: string): readonly string[] {
  return [`for own in "$HOME"/.gpu-rental/jobs/${quoteForShell(jobId)}[0-9a-f][0-9a-f]/serving; do`];
}
