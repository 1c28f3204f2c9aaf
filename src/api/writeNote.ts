import { CancelledError } from '../util/errors';
import { mayHaveTakenEffect } from './errors';
import { requestIdOf } from './exchange';
import type { ApiRequest, CallOptions } from './http';

/** How a write ended. `unknown`: it may have taken effect. */
export interface WriteEnd {
  readonly end: 'done' | 'refused' | 'unknown';
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
  /** The instance that it rented. */
  readonly newContract?: number | undefined;
}

/** Called right before a write is first sent; what it returns is called once with the end. */
export type OnWrite = (
  request: Pick<ApiRequest, 'route' | 'path' | 'body'>,
) => ((end: WriteEnd) => void) | undefined;

/** Sends a call and reports a write that leaves. */
export async function noteWrite<T>(
  onWrite: OnWrite | undefined,
  request: ApiRequest,
  options: CallOptions,
  call: (request: ApiRequest, options: CallOptions) => Promise<T>,
): Promise<T> {
  if (request.repeat !== 'write' || onWrite === undefined) {
    return call(request, options);
  }
  const sent: {
    end?: ((end: WriteEnd) => void) | undefined;
    isNoted?: true;
    requestId?: string | undefined;
  } = {};
  const onSend = () => {
    if (!sent.isNoted) {
      sent.isNoted = true;
      sent.end = onWrite(request);
    }
    sent.requestId = undefined;
    request.onSend?.();
  };
  const onHeaders: CallOptions['onHeaders'] = (headers, now) => {
    sent.requestId = requestIdOf(headers);
    options.onHeaders?.(headers, now);
  };
  try {
    const answer = await call({ ...request, onSend }, { ...options, onHeaders });
    sent.end?.({ end: 'done', requestId: sent.requestId, newContract: newContractIn(answer) });
    return answer;
  } catch (error) {
    const isUnknown = error instanceof CancelledError || mayHaveTakenEffect(error);
    sent.end?.({ end: isUnknown ? 'unknown' : 'refused', requestId: sent.requestId });
    throw error;
  }
}

function newContractIn(answer: unknown): number | undefined {
  const id =
    typeof answer === 'object' && answer !== null && 'new_contract' in answer
      ? answer.new_contract
      : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}
