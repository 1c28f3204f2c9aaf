import assert from 'node:assert/strict';
import fc from 'fast-check';
import { narrowed, rentalFit, type FitInput } from '../../../../src/model/fit/rentalFit';
import { usualMachine } from '../../../../src/model/fit/usualMachine';
import { misfits } from '../../../../src/model/offers/offerMatch';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { formatText } from '../../../../src/util/text';
import { aTemplate } from '../../../support/builders';
import { hostileText } from '../../../support/hostileText';
import { lacking, marketOffer } from '../../../support/marketOffer';
import { sized, testSeed } from '../../../support/seeded';

const cuda128 = 'nvidia/cuda:12.8.0-cudnn-devel-ubuntu22.04';
const old = marketOffer({ driverVersion: '535.54.03', cudaVersion: 12.2 });

function anInput(image: string, changes: Partial<FitInput> = {}): FitInput {
  return { offer: marketOffer(), choices: { source: { kind: 'image', image } }, ...changes };
}

function words(input: FitInput): readonly string[] {
  return rentalFit(input).misfits.map(({ text }) => formatText(text));
}

describe('the fit of an image to a machine', () => {
  it('names the CUDA that the image needs and that the driver serves', () => {
    assert.deepEqual(words(anInput(cuda128, { offer: old })), [
      'The image needs CUDA 12.8, but this driver (535.54.03) supports up to 12.2.',
    ]);
    assert.deepEqual(words(anInput(cuda128, { offer: marketOffer({ cudaVersion: 12.4 }) })), [
      'The image needs CUDA 12.8, but this machine supports up to 12.4.',
    ]);
  });

  it('uses the driver if the service does not state the CUDA version', () => {
    assert.deepEqual(words(anInput(cuda128, { offer: lacking(old, 'cudaVersion') })), [
      'The image needs CUDA 12.8, but this driver (535.54.03) supports up to 12.2.',
    ]);
    const open = { ...lacking(old, 'cudaVersion'), driverVersion: 'nightly' };
    assert.deepEqual(words(anInput(cuda128, { offer: open })), []);
  });

  it('shows nothing if it fits, or if the needs or the machine are unknown', () => {
    assert.deepEqual(words(anInput(cuda128)), []);
    assert.deepEqual(words(anInput('pytorch/pytorch:latest', { offer: old })), []);
    assert.deepEqual(words(anInput(cuda128, { offer: lacking(marketOffer(), 'cudaVersion') })), []);
  });

  it('warns of a GPU that the image is too old or too new for', () => {
    const gpu = (gpuName: string, computeCapability: number) =>
      marketOffer({ gpuName, computeCapability, cudaVersion: 13 });
    assert.deepEqual(
      words(anInput('pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel', { offer: gpu('RTX 5090', 1200) })),
      ['RTX 5090 needs CUDA 12.8 or newer, but the image has CUDA 12.4.'],
    );
    assert.deepEqual(
      words(anInput('nvidia/cuda:13.0.1-devel-ubuntu24.04', { offer: gpu('Tesla V100', 700) })),
      ['Tesla V100 needs CUDA 12.9 or older, but the image has CUDA 13.0.'],
    );
    assert.deepEqual(
      words(anInput('quay.io/jupyter/pytorch-notebook:cuda12-latest', { offer: gpu('RTX 5090', 1200) })),
      [],
    );
    assert.deepEqual(
      words(anInput('ghcr.io/huggingface/text-embeddings-inference:1.8', { offer: gpu('Tesla P100', 600) })),
      ['The image needs compute capability 7.5, but Tesla P100 has 6.0.'],
    );
    assert.deepEqual(
      words(anInput('ghcr.io/huggingface/text-embeddings-inference:1.8', { offer: gpu('Tesla T4', 750) })),
      [],
    );
  });

  it('warns of the other maker’s GPUs', () => {
    assert.deepEqual(words(anInput('rocm/pytorch', { offer: marketOffer({ gpuArch: 'nvidia' }) })), [
      'The image is for AMD GPUs (ROCm), but this machine has NVIDIA GPUs.',
    ]);
    assert.deepEqual(words(anInput(cuda128, { offer: marketOffer({ gpuArch: 'amd' }) })), [
      'The image is for NVIDIA GPUs (CUDA 12.8), but this machine has AMD GPUs.',
    ]);
    assert.deepEqual(words(anInput('rocm/pytorch')), []);
  });

  it('compares the size of the image with the disk that is rented', () => {
    const image = 'vllm/vllm-openai:v0.9.2';
    assert.deepEqual(words(anInput(image)), ['The image takes about 25 GB, but the disk has only 20 GB.']);
    assert.deepEqual(
      words(anInput(image, { choices: { source: { kind: 'image', image }, diskGb: 40 } })),
      [],
    );
    assert.equal(rentalFit(anInput(image)).filters, undefined);
  });

  it('shows what a template requires, and its CUDA once', () => {
    const source = {
      kind: 'template',
      template: aTemplate({
        tag: '2.7.1-cuda12.8-cudnn9-devel',
        extraFilters: { cuda_max_good: { gte: 12.8 }, gpu_ram: { gte: 80_000 } },
      }),
    } as const;
    assert.deepEqual(words({ offer: old, choices: { source } }), [
      'The image needs CUDA 12.8, but this driver (535.54.03) supports up to 12.2.',
      'The template Trainer requires Memory per GPU: ≥ 80 GB. This machine has 24 GB.',
    ]);
  });

  it('compares network and reliability with the machines of the last rentals', () => {
    const rented = [900, 800, 850, 100].map((inetDownMbit, index) =>
      marketOffer({ inetDownMbit, reliability: 0.99 + index / 1000 }),
    );
    const usual = usualMachine(rented);
    const offer = marketOffer({ inetDownMbit: 120.4, reliability: 0.931 });
    assert.deepEqual(words(anInput('ubuntu', { offer, usual })), [
      'Download: 120 Mbit/s. The machines of your last 4 rentals had 800 Mbit/s (median).',
      'Reliability: 93.1 %. The machines of your last 4 rentals had 99.1 % (median).',
    ]);
    assert.deepEqual(rentalFit(anInput('ubuntu', { offer, usual })).filters, {
      ports: { min: 1 },
      downMbit: { min: 400 },
      reliability: { min: 98.1 },
    });
    assert.deepEqual(words(anInput('ubuntu', { offer, usual: usualMachine(rented.slice(0, 2)) })), []);
  });

  it('leads to offers that have everything, and keeps what was searched for', () => {
    const { filters = {} } = rentalFit(anInput(cuda128, { offer: old }));
    assert.deepEqual(filters, { cuda: { min: 12.8 }, ports: { min: 1 } });
    assert.deepEqual(
      narrowed({ cuda: { max: 12.2 }, ports: { min: 4 }, gpu: { oneOf: ['RTX 4090'] } }, filters),
      { cuda: { min: 12.8 }, ports: { min: 4 }, gpu: { oneOf: ['RTX 4090'] } },
    );
  });

  it('never throws on hostile words, and what it finds fits then', () => {
    const offers = fc.record({
      cudaVersion: fc.option(fc.constantFrom(11.4, 12.2, 12.8, 13), { nil: undefined }),
      computeCapability: fc.option(fc.constantFrom(610, 700, 890, 900, 1200, 123), { nil: undefined }),
      driverVersion: fc.option(fc.oneof(fc.constant('535.54.03'), hostileText), { nil: undefined }),
      directPorts: fc.nat(3),
      diskSpaceGb: fc.nat(60),
      inetDownMbit: fc.nat(1000),
      reliability: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const images = fc.oneof(
      hostileText,
      fc.constantFrom(cuda128, 'a/b:cu130', 'a/b:cuda11.8', 'vllm/vllm-openai:v0.9.2', 'pytorch/pytorch'),
    );
    const usual = { rentals: 5, downMbit: 600, reliability: 0.99 };
    fc.assert(
      fc.property(images, offers, offers, (image, one, another) => {
        const made = (changes: typeof one) => {
          const known = Object.entries(changes).filter(([, value]) => value !== undefined);
          return marketOffer(Object.fromEntries(known));
        };
        const { filters } = rentalFit(anInput(image, { offer: made(one), usual }));
        const offer = made(another);
        if (filters && misfits(offer, { ...defaultQuery, filters }).length === 0) {
          const left = rentalFit(anInput(image, { offer })).misfits.map(({ id }) => id);
          assert.deepEqual(
            left.filter((id) => id !== 'imageSize' && !isUnsearchable(id, offer, one)),
            [],
          );
        }
      }),
      { seed: testSeed, numRuns: sized(1000, 50_000) },
    );

    /** A GPU that is too old is looked for only after one was shown, and a driver only by the CUDA it serves. */
    function isUnsearchable(
      id: string,
      offer: typeof old,
      { diskSpaceGb }: { readonly diskSpaceGb: number },
    ) {
      return (
        id === 'gpu' ||
        (id === 'cuda' && offer.cudaVersion === undefined) ||
        (id === 'disk' && diskSpaceGb >= 20)
      );
    }
  });
});
