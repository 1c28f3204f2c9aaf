import { successAnswer } from '../wire/field';
import type { ApiRequest, CallOptions, Http } from './http';

/** Sends a change, once, whose answer says no more than that it was taken. */
export async function sendWrite(
  http: Http,
  request: Omit<ApiRequest, 'repeat'>,
  options: CallOptions | undefined,
): Promise<void> {
  await http.call({ ...request, repeat: 'write' }, successAnswer, options);
}
