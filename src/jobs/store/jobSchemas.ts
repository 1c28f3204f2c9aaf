import * as z from 'zod';
import { micros } from '../../model/money';
import { machineChoices } from '../../model/workspace/workspaceFile';
import { ownId } from '../../store/disk/rowFolder';
import type { Text } from '../../util/text';
import { decisionKinds, jobPhases, troubleKinds, type Job, type JobState } from '../model/job';
import { endReasons } from '../model/onMachine';
import { engineNames, repositoryShape, servedNameShape } from '../model/serves';

/** A text as it is read from a file or another window. */
export const savedText = z.custom<Text>(
  (value) => typeof value === 'object' && value !== null && 'template' in value,
);
const machineEnd = z.enum(['keep', 'stop', 'destroy']);
const outcome = z.enum(['notStarted', 'kept', 'stopped', 'destroyed', 'lost', 'unknown']);
const ends = z.object({
  success: machineEnd,
  failure: machineEnd,
  limit: machineEnd,
  idle: machineEnd.optional(),
});
const id = z.string().regex(/^[0-9a-f]{16}$/);

const spec = z.object({
  name: z.string(),
  run: z.string(),
  setup: z.string().exactOptional(),
  setupInputs: z.array(z.string()).exactOptional(),
  workdir: z.string(),
  sync: z
    .object({
      include: z.array(z.string()),
      exclude: z.array(z.string()),
      git: z.boolean(),
      maxMb: z.number(),
      maxFiles: z.number(),
    })
    .exactOptional(),
  env: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  outputs: z.array(z.string()),
  outputsTo: z.string().exactOptional(),
  machine: z.enum(machineChoices),
  machineName: z.string().exactOptional(),
  hours: z.number(),
  costDollars: z.number(),
  setupMinutes: z.number(),
  graceSeconds: z.number(),
  idleMinutes: z.number().exactOptional(),
  endsIfIdle: z.literal(true).exactOptional(),
  ends,
  rentedEnds: ends,
  keepMinutes: z.number(),
  // Jobs from older versions lack this field.
  maxParallel: z.number().default(1),
  retries: z.record(z.string(), z.number()).default({}),
  checkpoints: z.array(z.string()).default([]),
  fetchMinutes: z.number().default(10),
  nameInFile: z.string().exactOptional(),
});

const machine = z.object({ instanceId: z.number(), name: z.string(), perHour: micros.optional() });

/** The user's decisions about a job. */
export const jobFile: z.ZodType<Job & { readonly version: 1 }> = z.object({
  version: z.literal(1),
  id,
  spec,
  workspace: z.string(),
  workspaceKey: z.string(),
  commit: z.object({ hash: z.string(), isDirty: z.boolean().exactOptional() }).optional(),
  setupKey: z.string().optional(),
  machine: machine.partial({ instanceId: true }),
  rental: z
    .object({
      marker: z.string().regex(ownId),
      by: z.string().optional(),
      isGivenUp: z.boolean().optional(),
    })
    .optional(),
  ends,
  outputsTo: z.string(),
  orderedAt: z.number(),
  decidedAt: z.partialRecord(z.enum(decisionKinds), z.number()),
  fetchBytes: z.number().optional(),
  reopen: z
    .object({
      at: z.number(),
      since: z.number(),
      isStarted: z.boolean().optional(),
      machine: machine.optional(),
    })
    .optional(),
  machineEnd: machineEnd.optional(),
  agent: z.object({ name: z.string(), request: z.string() }).optional(),
  serves: z
    .object({
      name: z.string().regex(servedNameShape),
      repository: z.string().regex(repositoryShape),
      revision: z.string().optional(),
      engine: z.enum(engineNames),
      file: z.string().optional(),
      downloadBytes: z.number().optional(),
      contextTokens: z.number().optional(),
      toolParser: z.string().optional(),
      reasoningParser: z.string().optional(),
      gpus: z.number(),
      maxSequences: z.number(),
      idleMinutes: z.number(),
    })
    .optional(),
});

const end = z
  .object({
    code: z.number().optional(),
    why: z.enum(endReasons),
    at: z.number().optional(),
    isOutOfMemory: z.boolean(),
  })
  // The code is missing if the machine could not store it.
  .transform((stored) => ({ ...stored, code: stored.code, at: stored.at }));

/** A number of a log. */
const printed = z.string().max(60).optional();

/** The progress of a job. */
export const stateFile: z.ZodType<JobState> = z.object({
  jobId: id,
  phase: z.enum(jobPhases),
  since: z.number(),
  writtenAt: z.number().optional(),
  attempt: z.number(),
  attempts: z
    .array(
      z.object({
        cause: z.string(),
        at: z.number(),
        machine: z.string(),
        end: end.optional(),
        startedAt: z.number().optional(),
      }),
    )
    .optional(),
  firstHere: z.number().optional(),
  unrentedSince: z.number().optional(),
  leaving: z.enum(['interrupted', 'machineLost']).optional(),
  before: z.object({ ms: z.number(), cost: micros }).optional(),
  checkpoint: z.object({ at: z.number(), files: z.number(), hash: z.string() }).optional(),
  checkpointProblem: z
    .object({
      since: z.number(),
      why: savedText,
      mayPass: z.boolean().optional(),
      bytes: z.number().optional(),
    })
    .optional(),
  checkpointTriedAt: z.number().optional(),
  machine: machine.optional(),
  guardedUntil: z.number().optional(),
  beganAt: z.number().optional(),
  startedAt: z.number().optional(),
  limitSeconds: z.number().optional(),
  dearer: z.object({ perHour: micros, listedAt: z.number() }).optional(),
  isTimeOld: z.boolean().optional(),
  others: z.array(z.object({ id: z.string(), name: z.string(), isAtWork: z.boolean() })).optional(),
  othersTriedAt: z.number().optional(),
  extension: z.object({ orderedAt: z.number(), isDone: z.boolean() }).optional(),
  endedAt: z.number().optional(),
  end: end.optional(),
  logOffset: z.number(),
  logSize: z.number(),
  lastSeenAt: z.number().optional(),
  gpuPercent: z.number().optional(),
  numbers: z.object({ epoch: printed, step: printed, loss: printed, speed: printed }).optional(),
  idleSince: z.number().optional(),
  outputs: z
    .object({
      files: z.number(),
      bytes: z.number(),
      hash: z.string(),
      areHashed: z.boolean(),
      leftOut: z.number(),
      named: z.array(z.object({ name: z.string(), why: savedText })).optional(),
    })
    .optional(),
  fetchedAt: z.number().optional(),
  fetchedFor: z.number().optional(),
  keepUntil: z.number().optional(),
  cancelSentAt: z.number().optional(),
  trouble: z
    .object({
      kind: z.enum(troubleKinds),
      since: z.number(),
      // Jobs from older versions lack this field.
      lastedMs: z.number().default(0),
      why: savedText.optional(),
      bytes: z.number().optional(),
      tries: z.number(),
      nextTryAt: z.number(),
    })
    .optional(),
  outcome: outcome.optional(),
  reopened: z
    .object({
      at: z.number(),
      outcome,
      fetchedAt: z.number().optional(),
      isFetched: z.boolean().optional(),
      why: savedText.optional(),
    })
    .optional(),
  isLost: z.boolean().optional(),
  setAside: z.string().optional(),
  why: savedText.optional(),
});
