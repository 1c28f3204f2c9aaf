import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { startFaults, type EngineFault } from '../../../../src/simulator/engine/engineScene';
import { healthOf, useEngines, type EngineStandIn } from '../../../support/engineStandIn';
import { useSimulators } from '../../../support/startSimulator';
import { until } from '../../../support/until';

/** The size of all files of a folder, as programs see it. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(path.join(folder, name)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

describe('the start of an engine that is played', () => {
  const engines = useEngines();
  const simulators = useSimulators();

  const seenIn = (engine: EngineStandIn, lines: readonly string[]) => {
    const places = lines.map((line) => engine.log().indexOf(line));
    assert.ok(!places.includes(-1), `${lines[places.indexOf(-1)] ?? ''} is missing in:\n${engine.log()}`);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
  };

  it('prints the stages of vLLM in their order', async () => {
    const engine = await engines.ready();
    await until('the last stage', () => engine.log().includes('startup complete'), { everyMs: 20 });
    seenIn(engine, [
      'Time spent downloading weights',
      'Loading safetensors checkpoint shards:  40% Completed | 2/5',
      'Model loading took 15.',
      'Dynamo bytecode transform',
      'Available KV cache memory',
      'GPU KV cache size: 65,536 tokens',
      'Capturing CUDA graphs',
      'Application startup complete.',
    ]);
  });

  it('lets the cache of vLLM grow by the bytes of the model', async () => {
    const engine = await engines.ready({ model: 'Qwen/Qwen3-8B-FP8', env: {} });
    assert.equal(bytesIn(path.join(engine.home, '.cache', 'huggingface')), 8_800_000_000);
    assert.deepEqual(readdirSync(path.join(engine.home, '.cache/huggingface/hub')), [
      'models--Qwen--Qwen3-8B-FP8',
    ]);
  });

  it('refuses connections until vLLM is there, and answers 503 before the model of llama.cpp is', async () => {
    const vllm = await engines.start({ startMs: 60_000 });
    await until('the first line', () => vllm.log().includes('vLLM API server'), { everyMs: 20 });
    assert.equal(await healthOf(vllm), 0);
    const llama = await engines.start({ engine: 'llama-server', startMs: 60_000 });
    await until('the server of llama.cpp', async () => (await healthOf(llama)) === 503, { everyMs: 20 });
  });

  it('prints the stages of llama.cpp, and keeps its file in its own cache', async () => {
    const engine = await engines.ready({ engine: 'llama-server', model: 'Qwen/Qwen3-4B-GGUF:Q4_K_M' });
    seenIn(engine, ['main: loading model', 'load_tensors:', 'main: model loaded', 'all slots are idle']);
    assert.equal(bytesIn(path.join(engine.home, '.cache', 'llama.cpp')), 2_400_000_000);
  });

  const reasons: Partial<Record<EngineFault, string>> = {
    noMemory: 'No available memory for the cache blocks',
    contextTooLong: 'the estimated maximum model length is 16384',
    fewCacheBlocks: 'max_num_seqs (8) exceeds available Mamba cache blocks (4)',
    gpuInUse: 'is less than desired GPU memory utilization',
    outOfMemory: 'CUDA out of memory',
    unknownArchitecture: "Model architectures ['MysteryForCausalLM'] are not supported",
    gated: 'Cannot access gated repo',
    noRepository: 'Repository Not Found',
    fullDisk: 'No space left on device',
    oldDriver: 'CUDA driver version is insufficient',
    noKernel: 'no kernel image is available',
    noHub: 'Max retries exceeded',
    brokenFile: 'HeaderTooLarge',
  };

  for (const fault of startFaults.filter((one) => one !== 'silentDownload')) {
    it(`ends vLLM with its words: ${fault}`, async () => {
      const engine = await engines.start({
        scene: { fault },
        startMs: 10,
        args: ['--max-model-len', '32768', '--max-num-seqs', '8'],
      });
      assert.equal(await engine.ended(), 1);
      assert.ok(engine.log().includes(reasons[fault] ?? 'nothing'), engine.log());
      assert.ok(!engine.log().includes('startup complete'));
    });
  }

  it('needs a token for a gated model, and no more than that', async () => {
    const gated = await engines.start({ model: 'meta-llama/Llama-3.1-8B-Instruct' });
    assert.equal(await gated.ended(), 1);
    assert.match(gated.log(), /gated repo/);
    await engines.ready({ model: 'meta-llama/Llama-3.1-8B-Instruct', env: { HF_TOKEN: 'hf_x' } });
  });

  it('starts with fewer sequences or a shorter context, where that was the reason', async () => {
    await engines.ready({ scene: { fault: 'fewCacheBlocks' }, args: ['--max-num-seqs', '4'] });
    await engines.ready({ scene: { fault: 'contextTooLong' }, args: ['--max-model-len', '16384'] });
    await engines.ready({ scene: { fault: 'contextTooLong' }, args: ['--max-model-len', 'auto'] });
  });

  it('refuses arguments that no engine accepts', async () => {
    const engine = await engines.start({ args: ['--max-model-len', 'long'] });
    assert.equal(await engine.ended(), 2);
    assert.match(engine.log(), /invalid int value/);
  });

  it('follows a request of the simulator', async () => {
    const simulator = await simulators.start();
    const told = await simulator.call('PUT', '/__sim/engine/', { fault: 'noMemory', context_tokens: 4096 });
    assert.equal(told.status, 200);
    assert.equal((await simulator.call('PUT', '/__sim/engine/', { fault: 'tired' })).status, 400);
  });
});
