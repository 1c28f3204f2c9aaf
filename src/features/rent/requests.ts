import * as z from 'zod';

const rentRequest = z.object({
  filters: z.record(z.string(), z.record(z.string(), z.unknown())),
  maxPricePerHour: z.number().positive(),
  template: z.object({ id: z.number().int().positive(), hash: z.string() }).optional(),
  image: z.string().min(1).max(1024).optional(),
  diskGb: z.number().min(1).max(1_000_000).optional(),
  env: z.record(z.string(), z.string()),
  onStart: z.string().optional(),
});

/** Arguments of commands come from outside as far as types can tell; throws on anything else. */
export function readRentRequest(value: unknown): z.infer<typeof rentRequest> {
  return rentRequest.parse(value);
}
