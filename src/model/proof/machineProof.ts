import * as z from 'zod';

/** What a running machine has to pass, in this order, until it is usable. */
export type ProofStage = 'port' | 'login' | 'gpu';

const faultShape = z
  .object({
    kind: z.enum([
      /** The tool is not installed; the GPUs may work all the same. */
      'smiMissing',
      'smiFailed',
      'smiHung',
      /** Uncorrected memory errors since the driver was loaded. */
      'ecc',
      /** Uncorrected errors of any part of an AMD GPU since the driver was loaded (docs/proof.md#errors-of-amd-gpus). */
      'ras',
      /** An error of the hardware that the kernel logged within a day (docs/proof.md#xid). */
      'xid',
    ]),
    /** As the driver counts, from 0. */
    gpu: z.number().exactOptional(),
    /** How many errors, or the code of the Xid. */
    number: z.number().exactOptional(),
    /** What the tool said, made safe to show. */
    detail: z.string().exactOptional(),
  })
  .readonly();
export type GpuFault = z.infer<typeof faultShape>;

const gpuShape = z
  .object({
    /** As the driver spells it, for example "NVIDIA GeForce RTX 4090". */
    name: z.string().exactOptional(),
    /** `undefined` where the driver reports `[N/A]`. */
    memoryMb: z.number().exactOptional(),
  })
  .readonly();
export type ProvedGpu = z.infer<typeof gpuShape>;

/** What one short look at a machine found (docs/proof.md). `undefined` means that the machine did not say. */
export const machineProofShape = z
  .object({
    /** Milliseconds since 1970, by the clock of this computer. */
    at: z.number(),
    kind: z.enum(['nvidia', 'amd', 'none']),
    gpus: z.array(gpuShape).readonly(),
    driver: z.string().exactOptional(),
    /** The newest CUDA that the driver runs, for example "12.8". */
    cuda: z.string().exactOptional(),
    mig: z.boolean(),
    /** Profiles of the MIG devices, for example "3g.20gb". */
    migDevices: z.array(z.string()).readonly().exactOptional(),
    faults: z.array(faultShape).readonly(),
    disk: z
      .object({
        /** Billions of bytes, where the home folder lies. */
        freeGb: z.number().exactOptional(),
        sizeGb: z.number().exactOptional(),
        /** Written and flushed. */
        mbPerSecond: z.number().exactOptional(),
      })
      .readonly(),
  })
  .readonly();
export type MachineProof = z.infer<typeof machineProofShape>;
