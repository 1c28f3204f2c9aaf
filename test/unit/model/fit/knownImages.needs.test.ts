import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { cudaOfDriver, cudaOfGpu, gpusOfCuda } from '../../../../src/model/fit/cudaVersions';
import { imageNeeds, knownImages } from '../../../../src/model/fit/knownImages';
import { hostileText } from '../../../support/hostileText';
import { sized, testSeed } from '../../../support/seeded';

const exact = (cuda: number) => ({ cuda, isExact: true });

describe('what an image needs', () => {
  const stated: readonly (readonly [image: string, cuda: number])[] = [
    ['nvidia/cuda:12.8.0-cudnn-devel-ubuntu22.04', 12.8],
    ['docker.io/nvidia/cuda:11.8.0-base-ubuntu20.04', 11.8],
    ['nvcr.io/nvidia/cuda:13.0.1-devel-ubuntu24.04', 13],
    ['pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel', 12.4],
    ['pytorch/pytorch:1.4-cuda10.1-cudnn7-runtime', 10.1],
    ['PyTorch/PyTorch:2.6.0-cuda12.4-cudnn9-devel@sha256:0f', 12.4],
    ['vastai/pytorch:2.6.0-cuda-12.6.3-py312', 12.6],
    ['vastai/base-image:cuda-12.4.1-auto', 12.4],
    ['runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404', 12.8],
    ['mosaicml/pytorch:2.5.1_cu124-python3.11-ubuntu22.04', 12.4],
    ['registry.example.com:5000/team/trainer:v3-cu118', 11.8],
    ['old/image:cu92', 9.2],
    ['old/image:torch1.10-cu102', 10.2],
    ['nvcr.io/nvidia/pytorch:25.01-py3', 12.8],
    ['nvcr.io/nvidia/tritonserver:24.05-trtllm-python-py3', 12.4],
    ['tensorflow/tensorflow:2.15.0-gpu-jupyter', 12.2],
    ['tensorflow/tensorflow:2.11.1-gpu', 11.2],
    ['vllm/vllm-openai:v0.8.5.post1', 12.4],
    ['vllm/vllm-openai:v0.9.2', 12.8],
    ['ghcr.io/huggingface/text-generation-inference:3.0.1', 12.4],
  ];
  for (const [image, cuda] of stated) {
    it(`reads CUDA ${cuda} from ${image}`, () => {
      assert.deepEqual(imageNeeds(image).cuda, exact(cuda));
    });
  }

  it('treats a version that is only partly stated as the least one', () => {
    assert.deepEqual(imageNeeds('quay.io/jupyter/pytorch-notebook:cuda12-latest').cuda, {
      cuda: 12,
      isExact: false,
    });
  });

  const silent = [
    'ubuntu:22.04',
    'python:3.12-slim',
    'nvidia/cuda',
    'nvidia/cuda:latest',
    'pytorch/pytorch:latest',
    'tensorflow/tensorflow:2.15.0',
    'nvcr.io/nvidia/pytorch:99.99-py3',
    'someone/12.8.0-thing:1.2.3',
    'someone/acute:cute12',
    'someone/cpu:v1-cu',
    'someone/image:cuda99.1',
    'someone/image:cuda-latest',
    'tensorflow/tensorflow:constructor',
    '',
  ];
  for (const image of silent) {
    it(`is unknown for ${image === '' ? 'no image' : image}`, () => {
      assert.equal(imageNeeds(image).cuda, undefined);
    });
  }

  it('knows images for AMD GPUs and their sizes', () => {
    assert.deepEqual(imageNeeds('rocm/pytorch:latest'), { maker: 'amd' });
    assert.deepEqual(imageNeeds('rocm/vllm:rocm6.4.1'), { maker: 'amd', aboutGb: 22 });
  });

  it('has at least 30 images, each in the page with a public source', () => {
    assert.ok(knownImages.length >= 30, `${knownImages.length} images`);
    const page = readFileSync(
      path.resolve(__dirname, '..', '..', '..', '..', 'docs', 'service', 'images.md'),
      'utf8',
    );
    const unsourced = knownImages.filter(
      ({ repository }) =>
        !page
          .split('\n')
          .some((line) => line.includes(`\`${repository}\``) && /https:\/\/|\w+#\d+/.test(line)),
    );
    assert.deepEqual(
      unsourced.map(({ repository }) => repository),
      [],
    );
  });

  it('never throws and never invents a version, for any tag', () => {
    const part = fc.constantFrom(
      'cuda',
      'cu',
      'CU-',
      'nvidia/cuda:',
      'v0.',
      '.',
      '-',
      ':',
      '/',
      '@',
      '\u202e',
    );
    const digits = fc.nat(99_999).map(String);
    const tag = fc
      .array(fc.oneof(part, digits, hostileText), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(tag, (image) => {
        const { cuda } = imageNeeds(image);
        if (cuda) {
          assert.ok(cuda.cuda >= 7 && cuda.cuda < 20 && Math.round(cuda.cuda * 10) / 10 === cuda.cuda);
        }
      }),
      { seed: testSeed, numRuns: sized(2000, 50_000) },
    );
    assert.equal(imageNeeds(`a:${'cuda1'.repeat(50_000)}`).cuda, undefined);
  });
});

describe('CUDA and drivers', () => {
  for (const [driver, cuda] of [
    ['570.124.04', 12.8],
    ['580.65.06', 13],
    ['575.57.08', 12.9],
    ['550.144.03', 12.4],
    ['535.216.01', 12.2],
    ['535.54.03', 12.2],
    ['535.43.02', 12.1],
    ['525.60.13', 12],
    ['470.82.01', 11.4],
  ] as const) {
    it(`serves CUDA ${cuda} with driver ${driver}`, () => {
      assert.equal(cudaOfDriver(driver), cuda);
    });
  }

  it('are unknown for drivers that are no versions, or newer than the table', () => {
    for (const driver of ['', 'abc', '535', '999.1.1', '535.1.1.1', '5350.86.05', '300.1']) {
      assert.equal(cudaOfDriver(driver), undefined, driver);
    }
  });

  it('knows from and up to which CUDA a GPU is served', () => {
    assert.deepEqual(cudaOfGpu(1200), { capability: 1200, from: 12.8 });
    assert.deepEqual(cudaOfGpu(700), { capability: 700, from: 9, until: 12.9 });
    assert.equal(cudaOfGpu(123), undefined);
    assert.deepEqual(gpusOfCuda(exact(12.4)), { min: 500, max: 900 });
    assert.deepEqual(gpusOfCuda(exact(13)), { min: 750 });
    assert.deepEqual(gpusOfCuda({ cuda: 12, isExact: false }), { min: 500 });
  });
});

describe('the tables of CUDA versions', () => {
  const page = readFileSync(
    path.resolve(__dirname, '..', '..', '..', '..', 'docs', 'service', 'images.md'),
    'utf8',
  );
  const cellsOf = (title: string) =>
    (page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
      .slice(1)
      .map((line) => line.split('|').map((cell) => cell.trim()));

  it('have the first driver of each version, as on the page of their source', () => {
    const stated = cellsOf('CUDA and drivers').flatMap((cells) =>
      [1, 3, 5, 7].flatMap((at) => {
        const [cuda = '', driver = ''] = cells.slice(at, at + 2);
        return cuda === '' ? [] : [{ cuda: Number(cuda), driver }];
      }),
    );
    assert.equal(stated.length, 20);
    for (const { cuda, driver } of stated) {
      assert.equal(cudaOfDriver(driver), cuda, driver);
    }
  });

  it('have the versions that serve each GPU, as on the page of their source', () => {
    const stated = cellsOf('CUDA and GPUs').flatMap(([, capabilities = '', , from = '', until = '']) =>
      capabilities.split(', ').map((one) => ({ capability: Math.round(Number(one) * 100), from, until })),
    );
    assert.equal(stated.length, 15);
    for (const { capability, from, until } of stated) {
      assert.deepEqual(cudaOfGpu(capability), {
        ...{ capability, from: Number(from) },
        ...(until === '' ? {} : { until: Number(until) }),
      });
    }
  });

  it('have the version of each monthly release of NVIDIA, as on the page of their source', () => {
    const monthsFrom = (first: string, last = first) =>
      [22, 23, 24, 25]
        .flatMap((year) =>
          Array.from({ length: 12 }, (_, at) => `${year}.${String(at + 1).padStart(2, '0')}`),
        )
        .filter((month) => first <= month && month <= last);
    const stated = cellsOf('Monthly releases of NVIDIA').flatMap((cells) =>
      [1, 3, 5].flatMap((at) => {
        const [cuda = '', releases = ''] = cells.slice(at, at + 2);
        const months = releases.split(', ').flatMap((one) => monthsFrom(...(one.split(' to ') as [string])));
        return cuda === '' ? [] : months.map((month) => ({ cuda: Number(cuda), month }));
      }),
    );
    assert.equal(stated.length, 32);
    for (const { cuda, month } of stated) {
      assert.deepEqual(imageNeeds(`nvcr.io/nvidia/pytorch:${month}-py3`).cuda, exact(cuda), month);
    }
  });

  it('have the version of each release of TensorFlow 2, as on the page of their source', () => {
    const minor = (release: string) => Number(release.replace('2.', ''));
    const stated = cellsOf('TensorFlow').flatMap((cells) =>
      [1, 3].flatMap((at) => {
        const [releases = '', cuda = ''] = cells.slice(at, at + 2);
        const [first = '', last = first] = releases.split(/ to |, /);
        const minors = Array.from({ length: minor(last) - minor(first) + 1 }, (_, one) => minor(first) + one);
        return minors.map((one) => ({ release: `2.${one}.0`, cuda: Number(cuda) }));
      }),
    );
    assert.equal(stated.length, 17);
    for (const { release, cuda } of stated) {
      assert.deepEqual(imageNeeds(`tensorflow/tensorflow:${release}-gpu`).cuda, exact(cuda), release);
    }
  });
});
