/**
 * A real engine for models, for `npm run test:models`: the server of llama.cpp on the CPU. node-llama-cpp carries its sources,
 * and libraries that were compiled from them; only the server itself is compiled here. It is kept in the cache, complete or
 * not at all.
 */
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { cacheFolder, npmInstall, onceInCache, withoutScripts } from './host.mjs';
import { run, withProgress } from './process.mjs';
import { inLanes } from './testing/report.mjs';

const { llamaCpp: version } = JSON.parse(readFileSync(new URL('host.json', import.meta.url), 'utf8'));
const platform = `linux-${process.arch}`;
const engineFolder = path.join(cacheFolder, `llama.cpp-${version}`);

/** The packages have no page for browsers, and no library for pictures. */
const lacking = {
  'ui.h': `#pragma once
#include <array>
#include <string>
struct llama_ui_asset { std::string name; const unsigned char * data; std::size_t size; std::string etag, type; };
inline const llama_ui_asset * llama_ui_find_asset(const std::string &) { return nullptr; }
inline bool llama_ui_use_gzip() { return false; }
inline std::array<llama_ui_asset, 0> llama_ui_get_assets() { return {}; }
`,
  'pictures.cpp': `#include "mtmd.h"
#include "mtmd-helper.h"
mtmd_context_params mtmd_context_params_default() { return {}; }
mtmd_helper_init_opt mtmd_helper_init_opt_default() { return {}; }
void mtmd_helper_log_set(ggml_log_callback, void *) {}
void mtmd_free(mtmd_context *) {}
`,
};

const files = [
  ...['chat', 'common', 'context', 'http', 'mcp', 'models', 'queue', 'schema', 'stream', 'task', 'tools'].map(
    (name) => `tools/server/server-${name}.cpp`,
  ),
  ...['tools/server/server.cpp', 'tools/server/main.cpp', 'own/pictures.cpp'],
];
const included = ['own', 'tools/server', 'tools/mtmd', 'common', 'include', 'ggml/include', 'vendor', '.'];

/** Installs the engine if it is not there. Throws with what a program printed. */
export async function installEngine(say) {
  if (process.platform !== 'linux') throw new Error('The real engine for models runs on Linux alone.');
  await onceInCache(engineFolder, 'llama.cpp', say, async (folder) => {
    say(`installing llama.cpp of node-llama-cpp ${version} (once, 1 to 3 minutes; it compiles its server)`);
    const specs = [`node-llama-cpp@${version}`, `@node-llama-cpp/${platform}@${version}`];
    await npmInstall(say, folder, specs, { ...withoutScripts, npm_config_omit: 'optional' });
    const modules = path.join(folder, 'node_modules');
    const source = path.join(folder, 'source');
    await must('git', ['clone', '--quiet', bundleIn(modules), source]);
    await cp(path.join(modules, '@node-llama-cpp', platform, 'bins', platform), folder, { recursive: true });
    await withProgress('llama-server', say, () => compile(source, folder));
    await Promise.all([modules, source].map((part) => rm(part, { recursive: true })));
  });
}

const bundleIn = (modules) => path.join(modules, 'node-llama-cpp', 'llama', 'gitRelease.bundle');

async function compile(source, folder) {
  await mkdir(path.join(source, 'own'));
  for (const [name, text] of Object.entries(lacking)) {
    await writeFile(path.join(source, 'own', name), text);
  }
  const flags = ['-std=c++17', '-O0', '-w', '-DLLAMA_SUBPROCESS', ...included.map((name) => `-I${name}`)];
  const objects = files.map((file) => `own/${path.basename(file, '.cpp')}.o`);
  await inLanes(availableParallelism(), files, (file) => {
    const object = objects[files.indexOf(file)];
    return must('g++', [...flags, '-c', file, '-o', object], source);
  });
  const libraries = (await readdir(folder)).filter((name) => /^lib(?:llama|ggml(?!-cpu)).*\.so$/.test(name));
  // What else is about pictures is never called. A program of a fixed place can lack it.
  const lacks = ['-no-pie', '-Wl,--unresolved-symbols=ignore-in-object-files'];
  const link = ['-pthread', '-Wl,-rpath,$ORIGIN', ...lacks];
  const linked = [...objects, ...libraries.map((name) => path.join(folder, name)), ...link];
  await must('g++', [...linked, '-o', path.join(folder, 'llama-server')], source);
}

async function must(command, args, cwd) {
  const { code, lines } = await run(command, args, { cwd, onLine: () => undefined });
  if (code !== 0) throw new Error(`${command} ${args.at(-1)} failed:\n${lines.slice(0, 30).join('\n')}`);
}
