/**
 * What the kernels of an instance do: at least one runs a cell, none does, or there are
 * some and their server does not report it. `unknown` if the instance could not be asked.
 */
export type KernelUse = 'busy' | 'idle' | 'silent' | 'unknown';
