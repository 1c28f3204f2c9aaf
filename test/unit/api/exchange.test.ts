import assert from 'node:assert/strict';
import { requestIdOf, RequestTrace } from '../../../src/api/exchange';
import { TransportFailure } from '../../../src/api/transport';
import { silentLog } from '../../../src/util/log';
import { FakeClock } from '../../support/fakeClock';

describe('The trace of requests', () => {
  it('names each by a number, with its answer, its time and what the service calls it', async () => {
    const lines: string[] = [];
    const clock = new FakeClock();
    const trace = new RequestTrace({ ...silentLog, debug: (line) => lines.push(line) }, clock);
    const first = trace.begin('GET /a/');
    const second = trace.begin('PUT /b/');
    await clock.advance(120);
    second.answered({ status: 200, headers: { 'x-request-id': '7f9c-21' } });
    await clock.advance(30);
    first.failed(new TransportFailure('lost', undefined));
    trace.begin('GET /c/').answered({ status: 404, headers: {} });
    assert.deepEqual(lines, [
      '#2 PUT /b/: 200 in 120 ms, service id 7f9c-21',
      '#1 GET /a/: TransportFailure after 150 ms',
      '#3 GET /c/: 404 in 0 ms',
    ]);
  });

  it('does not read a header as an id that could be anything else', () => {
    assert.equal(requestIdOf({ 'cf-ray': '8c1b2-FRA' }), '8c1b2-FRA');
    assert.equal(
      requestIdOf({ 'x-request-id': 'Root=1-67891233-abcdef', 'cf-ray': 'x1-FRA' }),
      'Root=1-67891233-abcdef',
    );
    for (const id of ['', 'a b', 'a\nb', '<b>', 'x'.repeat(200), '$(rm)']) {
      assert.equal(requestIdOf({ 'x-request-id': id }), undefined, id);
    }
  });
});
