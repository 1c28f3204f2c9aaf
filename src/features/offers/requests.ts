import * as z from 'zod';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { readQuery } from '../../model/offers/savedSearches';

const filters = z.record(z.string(), z.record(z.string(), z.unknown()));
const price = z.number().positive();

const id = z.number().int().positive();
const searchRequest = z.object({
  filters,
  maxPricePerHour: price.optional(),
  volume: z.object({ id, machineId: id }).optional(),
});

const rentRequest = z.object({
  filters,
  maxPricePerHour: price,
  template: z.object({ id: z.number().int().positive(), hash: z.string() }).optional(),
  image: z.string().min(1).max(1024).optional(),
  diskGb: z.number().min(1).max(1_000_000).optional(),
  env: z.record(z.string(), z.string()),
  onStart: z.string().optional(),
});

const queryRequest = z.object({
  query: z.unknown(),
  baseFilters: filters.optional(),
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

export function readRentRequest(value: unknown): z.infer<typeof rentRequest> {
  return rentRequest.parse(value);
}
