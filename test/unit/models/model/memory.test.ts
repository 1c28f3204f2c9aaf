import assert from 'node:assert/strict';
import { repositoryShape, servedNameShape } from '../../../../src/jobs/model/serves';
import { knownModel, knownModels, servedNameOf } from '../../../../src/models/model/knownModels';
import {
  contextThatFits,
  diskGbFor,
  filtersFor,
  fits,
  leastGpus,
  neededGib,
  sharedGpus,
} from '../../../../src/models/model/memory';

const qwen8 = knownModel('Qwen/Qwen3-8B') ?? assert.fail();
const qwen36 = knownModel('Qwen/Qwen3.6-27B-FP8') ?? assert.fail();

describe('the memory of a model', () => {
  it('is the bytes of its weights and a fifth, in the part of a GPU that an engine may fill', () => {
    assert.equal(Math.ceil(neededGib({ weightBytes: 16.4e9 })), 20);
    assert.equal(diskGbFor(qwen8), 60);
  });

  it('must fit on each GPU, of which 1, 2, 4 or 8 share it', () => {
    assert.deepEqual([1, 2, 3, 4, 6, 8, 10].map(sharedGpus), [1, 2, 2, 4, 4, 8, 8]);
    assert.deepEqual(
      [
        fits(qwen36, { count: 1, gib: 24 }),
        fits(qwen36, { count: 2, gib: 24 }),
        // Two of three share it, whatever all of them have.
        fits(qwen36, { count: 3, gib: 16 }),
        // vLLM warms up with more than that.
        fits({ engine: 'vllm', weightBytes: 1e9 }, { count: 1, gib: 12 }),
        fits({ engine: 'llamaCpp', weightBytes: 1e9 }, { count: 1, gib: 12 }),
      ],
      [false, true, false, false, true],
    );
  });

  it('is that of the recipes for the cards of the market', () => {
    const least = (repository: string) => {
      const { count, gib } = leastGpus(knownModel(repository) ?? assert.fail());
      return `${count}× ${gib}`;
    };
    assert.deepEqual(
      ['Qwen/Qwen3-8B', 'openai/gpt-oss-20b', 'openai/gpt-oss-120b', 'zai-org/GLM-4.7-FP8'].map(least),
      ['1× 24', '1× 24', '1× 80', '4× 141'],
    );
  });

  it('leaves room for a context, which is not guessed where the size of a token is unknown', () => {
    assert.equal(contextThatFits(qwen8, { count: 1, gib: 24 }), 38_639);
    assert.equal(contextThatFits(qwen8, { count: 1, gib: 80 }), 40_960);
    assert.equal(contextThatFits(qwen8, { count: 1, gib: 12 }), 0);
    const { bytesPerToken: _, ...unknown } = qwen8;
    assert.equal(contextThatFits(unknown, { count: 1, gib: 24 }), undefined);
  });

  it('is a search for each number of GPUs that can share it', () => {
    assert.deepEqual(filtersFor(qwen36), {
      num_gpus: { in: [1, 2, 4, 8] },
      gpu_ram: { gte: 16_384 },
      gpu_total_ram: { gte: 34 * 1024 },
      gpu_arch: { eq: 'nvidia' },
      cuda_max_good: { gte: 12.9 },
      inet_down: { gte: 500 },
      compute_cap: { gte: 890 },
    });
  });
});

describe('the table of known models', () => {
  it('has at least 15, each once, in the forms that a job accepts', () => {
    assert.ok(knownModels.length >= 15);
    assert.equal(new Set(knownModels.map(({ repository }) => repository)).size, knownModels.length);
    for (const model of knownModels) {
      assert.match(model.repository, repositoryShape);
      assert.match(servedNameOf(model), servedNameShape);
      assert.ok(Number.isInteger(model.weightBytes));
      assert.equal(model.engine === 'llamaCpp', model.file !== undefined);
      assert.equal(model.engine === 'vllm', model.toolParser !== undefined);
    }
  });

  it('begins with the smallest', () => {
    const sizes = knownModels.map(({ weightBytes }) => weightBytes);
    assert.deepEqual(
      sizes,
      [...sizes].sort((one, other) => one - other),
    );
  });
});
