import * as z from 'zod';

/** A service that a machine named, or a port on which a program listens there. */
const foundService = z.object({
  /** Words of the machine; without them, only the port is known. */
  name: z.string().optional(),
  /** On the machine's own loopback address, where it needs no token. */
  port: z.int().min(1).max(65_535),
  /** What is opened of it; begins with exactly one slash. */
  path: z.string(),
  state: z.enum(['running', 'stopped']).optional(),
  /** What the supervisor of the machine starts for it, while it is stopped. */
  program: z.string().optional(),
});
export type FoundService = Readonly<z.infer<typeof foundService>>;
export const foundServices = z.array(foundService).readonly();

/** What identifies a service of a machine, whose names may be the same. */
export function serviceKey({ port, path }: Pick<FoundService, 'port' | 'path'>): string {
  return `${port}${path}`;
}
