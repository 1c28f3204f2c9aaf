/** How far the start of a model is, in the order of its stages. */
export type ServingStage =
  'preparing' | 'downloading' | 'loading' | 'compiling' | 'answering' | 'ready' | 'ended';

/** What the log of a served model says of it: a stranger's text, which changes only what is shown. */
export interface Serving {
  readonly stage: ServingStage;
}

/** Returns what is known after more whole lines of the log. */
export function readServing(previous: Serving | undefined, newLogText: string): Serving {
  return /^gpu-rental: ready/m.test(newLogText) ? { stage: 'ready' } : (previous ?? { stage: 'preparing' });
}
