import type { RunOptions, RunResult } from '../../src/ssh/run';

/** What ssh does for a machine that runs a script and says this, for a fake in place of the program. */
export function answered(
  args: readonly string[],
  options: RunOptions | undefined,
  { stdout = '', stderr = '', code = 0 }: Partial<RunResult> = {},
): RunResult {
  const [, first = '', second = ''] =
    / sh ([0-9a-f]+) ([0-9a-f]+)(?: [\w-]+)?$/.exec(args.at(-1) ?? '') ?? [];
  const mark = first + second;
  const own = options?.sieve?.receive(Buffer.from(`${mark}<${stdout}>${mark} ${code}.`));
  return { code: 0, stdout: own?.toString() ?? '', stderr: `${mark}\n${stderr}`, timedOut: false };
}
