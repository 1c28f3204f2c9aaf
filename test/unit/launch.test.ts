import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'jsonc-parser';
import * as z from 'zod';

const root = path.resolve(__dirname, '..', '..');
const read = (file: string): unknown => parse(readFileSync(path.join(root, file), 'utf8'));

const { configurations } = z
  .object({
    configurations: z.array(
      z.looseObject({ name: z.string(), program: z.string().optional(), preLaunchTask: z.string() }),
    ),
  })
  .parse(read('.vscode/launch.json'));
const { tasks } = z
  .object({ tasks: z.array(z.looseObject({ label: z.string(), command: z.string() })) })
  .parse(read('.vscode/tasks.json'));
const { scripts } = z.looseObject({ scripts: z.record(z.string(), z.string()) }).parse(read('package.json'));
const task = (label: string) => tasks.find((one) => one.label === label);
const matcher = z
  .looseObject({
    pattern: z.array(z.object({ regexp: z.string() }).catchall(z.union([z.string(), z.number()]))),
    background: z.object({
      activeOnStart: z.literal(true),
      beginsPattern: z.string(),
      endsPattern: z.string(),
    }),
  })
  .parse(task('watch')?.['problemMatcher']);

/** Returns what the editor lists as problems: lines in a row that fit the patterns of the task. */
function problemsIn(lines: readonly string[]): readonly Record<string, string>[] {
  return lines.flatMap((_, start) => {
    const problem: Record<string, string> = {};
    for (const [index, { regexp, ...groups }] of matcher.pattern.entries()) {
      const found = new RegExp(regexp).exec(lines[start + index] ?? 'none');
      if (found === null) {
        return [];
      }
      for (const [name, group] of Object.entries(groups)) {
        problem[name] = found[Number(group)] ?? '';
      }
    }
    return [problem];
  });
}

describe('the launch entries', () => {
  it('wait for a task that sets up a fresh clone', () => {
    const commands = configurations.map(({ preLaunchTask }) => {
      const command = task(preLaunchTask)?.command ?? '';
      return scripts[command.replace('npm run ', '')] ?? command;
    });
    assert.deepEqual(
      commands.filter((command) => !command.startsWith('node scripts/setup.mjs')),
      [],
    );
  });

  it('see where a build of the watch begins and ends, its problems, and the files they start', async () => {
    const clone = mkdtempSync(path.join(tmpdir(), 'gpu-rental launch-'));
    const write = (file: string, text: string) => {
      mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
      writeFileSync(path.join(clone, file), text);
    };
    for (const name of ['node_modules', 'scripts', 'docs']) {
      symlinkSync(path.join(root, name), path.join(clone, name));
    }
    copyFileSync(path.join(root, 'esbuild.mjs'), path.join(clone, 'esbuild.mjs'));
    const entries = readFileSync(path.join(root, 'esbuild.mjs'), 'utf8').match(/(?<=')src\/[\w/]+\.ts(?=')/g);
    for (const entry of entries ?? []) {
      write(entry, 'export {};\n');
    }
    write('src/extension.ts', "import './util/missing';\n");
    // The editor reads both streams from one terminal.
    const watch = spawn('sh', ['-c', `exec "${process.execPath}" esbuild.mjs --watch 2>&1`], { cwd: clone });
    const lines = createInterface({ input: watch.stdout })[Symbol.asyncIterator]();
    const { beginsPattern, endsPattern } = matcher.background;
    const nextBuild = async () => {
      const build: string[] = [];
      while (!new RegExp(endsPattern).test(build.at(-1) ?? '')) {
        build.push(String((await lines.next()).value));
      }
      assert.match(build[0] ?? '', new RegExp(beginsPattern));
      return build.slice(1, -1);
    };
    try {
      assert.deepEqual(problemsIn(await nextBuild()), [
        {
          severity: 'ERROR',
          message: 'Could not resolve "./util/missing"',
          file: 'src/extension.ts',
          line: '1',
          column: '7',
        },
      ]);
      write('src/extension.ts', 'export const activate = 1;\n');
      assert.deepEqual(await nextBuild(), []);
      const programs = configurations.flatMap(({ program = '' }) => /dist\/.*/.exec(program) ?? []);
      assert.deepEqual(programs, ['dist/simulator.js', 'dist/mcp.js']);
      assert.deepEqual(
        [...programs, 'dist/extension.js'].filter((file) => !existsSync(path.join(clone, file))),
        [],
      );
    } finally {
      watch.kill();
      await once(watch, 'close');
      rmSync(clone, { recursive: true, force: true });
    }
  });
});
