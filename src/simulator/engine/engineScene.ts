import { readFileSync, writeFileSync } from 'node:fs';
import { parseJson } from '../../util/json';

/** What goes wrong at the start: each of them ends the engine with a code, except the last one. */
export const startFaults = [
  'noMemory',
  /** Only where a length is given that is above 16,384. */
  'contextTooLong',
  /** Only where more than four sequences are wanted. */
  'fewCacheBlocks',
  'gpuInUse',
  'outOfMemory',
  'unknownArchitecture',
  'gated',
  'noRepository',
  'fullDisk',
  'oldDriver',
  'noKernel',
  'noHub',
  'brokenFile',
  /** Downloads nothing more and says nothing. */
  'silentDownload',
] as const;

/** What goes wrong in an answer: the first eight are what a hostile engine would do. */
export const answerFaults = [
  'html',
  'wrongJson',
  'oddJson',
  'longLine',
  'endless',
  'drip',
  'redirect',
  'hugeHeaders',
  'brokenOff',
  'errorInStream',
  'serverError',
  'overloaded',
  'plainToolCall',
  'brokenArguments',
  'onlyReasoning',
  'silent',
  /** Ends the process with the next request for an answer. */
  'ends',
] as const;

/** What its log holds that it should not. */
const logFaults = ['printsKey', 'hostileLog'] as const;

export const engineFaults = [...startFaults, ...answerFaults, ...logFaults] as const;
export type EngineFault = (typeof engineFaults)[number];

/** How the engines of all machines behave; read anew at each start and each request. */
export interface EngineScene {
  readonly fault?: EngineFault;
  /** Tokens that an engine fits where no length is given; 32,768 unless given. */
  readonly contextTokens?: number;
  /** A file that gets the last words of each request that is answered, a line each. */
  readonly answersTo?: string;
}

export function isEngineFault(value: unknown): value is EngineFault {
  return engineFaults.some((fault) => fault === value);
}

/** An absent file means that all goes well. */
export function readScene(file: string): EngineScene {
  try {
    const value = parseJson(readFileSync(file, 'utf8'));
    const { fault, contextTokens, answersTo } = value as Partial<Record<keyof EngineScene, unknown>>;
    return {
      ...(isEngineFault(fault) ? { fault } : {}),
      ...(typeof contextTokens === 'number' ? { contextTokens } : {}),
      ...(typeof answersTo === 'string' ? { answersTo } : {}),
    };
  } catch {
    return {};
  }
}

export function writeScene(file: string, scene: EngineScene): void {
  writeFileSync(file, JSON.stringify(scene));
}
