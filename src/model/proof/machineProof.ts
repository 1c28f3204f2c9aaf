import * as z from 'zod';

/** The stages that a running machine must pass, in this order, before it is usable. */
export type ProofStage = 'port' | 'login' | 'gpu';

const faultShape = z
  .object({
    kind: z.enum([
      /** The tool is not installed; the GPUs may still work. */
      'smiMissing',
      'smiFailed',
      'smiHung',
      /** Uncorrected memory errors since the driver was loaded. */
      'ecc',
      /** Uncorrected errors of any part of an AMD GPU since the driver was loaded (docs/proof.md#errors-of-amd-gpus). */
      'ras',
      /** A hardware error that the kernel logged in the last 24 hours (docs/proof.md#xid). */
      'xid',
      /** Heat, the power supply or the hardware lowers its clock. */
      'slowed',
    ]),
    /** As counted by the driver, from 0. */
    gpu: z.number().exactOptional(),
    /** The number of errors, or the Xid code. */
    number: z.number().exactOptional(),
    /** The output of the tool, made safe to show. */
    detail: z.string().exactOptional(),
  })
  .readonly();
export type GpuFault = z.infer<typeof faultShape>;

const gpuShape = z
  .object({
    /** As the driver spells it, for example "NVIDIA GeForce RTX 4090". */
    name: z.string().exactOptional(),
    /** `undefined` if the driver reports `[N/A]`. */
    memoryMb: z.number().exactOptional(),
  })
  .readonly();
export type ProvedGpu = z.infer<typeof gpuShape>;

/**
 * The result of a short check of a machine (docs/proof.md). A field is `undefined` if the machine did not report it.
 */
export const machineProofShape = z
  .object({
    /** Milliseconds since 1970, by this computer's clock. */
    at: z.number(),
    kind: z.enum(['nvidia', 'amd', 'none']),
    gpus: z.array(gpuShape).readonly(),
    driver: z.string().exactOptional(),
    /** The newest CUDA version that the driver supports, for example "12.8". */
    cuda: z.string().exactOptional(),
    mig: z.boolean(),
    /** Profiles of the MIG devices, for example "3g.20gb". */
    migDevices: z.array(z.string()).readonly().exactOptional(),
    faults: z.array(faultShape).readonly(),
    disk: z
      .object({
        /** In billions of bytes, on the disk that was rented, not on a volume. */
        freeGb: z.number().exactOptional(),
        sizeGb: z.number().exactOptional(),
        /** The speed of writing and flushing. */
        mbPerSecond: z.number().exactOptional(),
      })
      .readonly(),
  })
  .readonly();
export type MachineProof = z.infer<typeof machineProofShape>;
