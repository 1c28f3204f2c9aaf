import * as z from 'zod';

/** The steps that set a machine up, in their order. */
export const setUpSteps = ['identity', 'environment', 'extensions', 'dotfiles', 'script'] as const;
export type SetUpStep = (typeof setUpSteps)[number];

/** What a machine said of its set-up. */
export const setUpSeen = z.object({
  /** The home folder, in which the logs are. */
  home: z.string(),
  steps: z.array(
    z.object({
      step: z.enum(setUpSteps),
      /** A step that was done has an exit code. */
      state: z.union([z.enum(['waits', 'running']), z.int().min(0).max(255)]),
    }),
  ),
});
export type SetUpSeen = z.infer<typeof setUpSeen>;
