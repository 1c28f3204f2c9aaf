import * as z from 'zod';

/** GET /v2/<name>/tags/list of a container registry (github.com/opencontainers/distribution-spec). */
export const tagList = z.looseObject({ tags: z.array(z.string()).nullish() });

/** The answer of the address in a Bearer challenge of a container registry. */
export const registryToken = z.looseObject({
  token: z.string().optional(),
  access_token: z.string().optional(),
});
