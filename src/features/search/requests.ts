import * as z from 'zod';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { readQuery } from '../../model/offers/savedSearches';

const filters = z.record(z.string(), z.record(z.string(), z.unknown()));

const id = z.number().int().positive();
const searchRequest = z.object({
  filters,
  maxPricePerHour: z.number().positive().optional(),
  volume: z.object({ id, machineId: id }).optional(),
});

const queryRequest = z.object({
  query: z.unknown(),
  name: z.string().max(200).optional(),
});

/** Throws where the query is none. */
export function readQueryRequest(value: unknown): Omit<z.infer<typeof queryRequest>, 'query'> & {
  readonly query: MarketQuery;
} {
  const request = queryRequest.parse(value);
  const query = readQuery(request.query);
  if (!query) {
    throw new Error('The search is none.');
  }
  return { ...request, query };
}

/** Arguments of commands come from outside as far as types can tell; throws on anything else. */
export function readSearchRequest(value: unknown): z.infer<typeof searchRequest> {
  return searchRequest.parse(value);
}
