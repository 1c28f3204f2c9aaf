import { knownGpuModels } from '../../../model/offers/gpuModels';
import type { JobEngine } from './engineJob';

/** A name that means nothing more in either file. */
const plainName = /^[A-Za-z][A-Za-z0-9.-]{0,60}$/;

/**
 * Returns the name of a GPU in the spelling of an engine; `undefined` if it can't be one. The rules are those of
 * skypilot-org/skypilot, sky/catalog/vast/_offer_processing.py, and dstackai/gpuhunt, src/gpuhunt/providers/vastai.py.
 */
export function engineGpu(engine: JobEngine, name: string): string | undefined {
  const spelled = engine === 'skypilot' ? skypilotGpu(name) : dstackGpu(name);
  return plainName.test(spelled) ? spelled : undefined;
}

function skypilotGpu(name: string): string {
  return name
    .replace(/^Tesla /, '')
    .replace(/^Q RTX/, 'RTX')
    .replace(/ ?(?:Ti|PCIE|SXM\d?|NVL)$/, '')
    .replaceAll(' ', '')
    .replace(/Ada$/, '-Ada')
    .replace(/^(RTX\d0\d0)[SD]$/, '$1');
}

function dstackGpu(name: string): string {
  return name
    .replace(/^Tesla /, '')
    .replace(/^RTX (?=A\d)/, '')
    .replace(/^([AH]100) (?:PCIE|SXM\d?)$/, '$1')
    .replaceAll(' ', '');
}

/** Returns the models that an engine calls alike; each of them may come. */
export function sameNamed(engine: JobEngine, name: string): readonly string[] {
  const spelled = engineGpu(engine, name);
  return knownGpuModels.filter((model) => engineGpu(engine, model) === spelled);
}

/** Returns the models that an engine means by a name; the name itself if no model is known by it. */
export function modelsNamed(engine: JobEngine, name: string): readonly string[] {
  const models = knownGpuModels.filter(
    (model) => engineGpu(engine, model)?.toLowerCase() === name.toLowerCase(),
  );
  return models.length > 0 ? models : [name];
}
