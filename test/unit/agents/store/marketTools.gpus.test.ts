import assert from 'node:assert/strict';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { openAgentWindow, wideLimits, type AgentWindow } from '../../../support/agentWindows';
import { anOffer } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeScheduleDisk } from '../../../support/scheduleWindows';

const names = ['RTX 4090', 'RTX 4090D', 'H100 SXM', 'H100 PCIE', 'A100 SXM4'];

describe('an agent that searches for a GPU', () => {
  let computer: FakeComputer;
  let window: AgentWindow;
  let service: FakeService;

  beforeEach(async () => {
    service = new FakeService();
    service.offers = names.map((gpuName, at) => anOffer({ id: 9001 + at, gpuName }));
    computer = await FakeComputer.make(service.client);
    window = await openAgentWindow(computer, new FakeScheduleDisk(), { limits: wideLimits });
  });
  afterEach(() => computer.dispose());

  async function search(gpu: string) {
    const { signal } = new AbortController();
    const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;
    const { offers, next } = await marketTools(window).search_offers({ gpu }, { caller, signal });
    const found = (offers as readonly { readonly untrusted: { readonly gpu: string } }[]).map(
      ({ untrusted }) => untrusted.gpu,
    );
    return { found, next };
  }

  for (const [said, meant] of [
    ['RTX 4090', ['RTX 4090']],
    ['rtx_4090', ['RTX 4090']],
    ['4090', ['RTX 4090']],
    ['NVIDIA GeForce RTX 4090', ['RTX 4090']],
    ['H100', ['H100 SXM', 'H100 PCIE']],
    ['a100', ['A100 SXM4']],
  ] as const) {
    it(`finds what it means by ${said}`, async () => {
      assert.deepEqual(await search(said), { found: [...meant], next: undefined });
    });
  }

  it('reads what to change where no offer fits', async () => {
    const { found, next } = await search('TPU v5');
    assert.deepEqual(found, []);
    assert.match(String(next), /No offer fits now\. Leave out an argument or widen it/);
  });

  const skipping = (skipped: number) => {
    const { offers } = service.client;
    const whole = offers.search.bind(offers);
    offers.search = async (...asked) => ({ ...(await whole(...asked)), skipped });
  };

  it('reads that offers were passed over, where none of those that could be read fits', async () => {
    skipping(3);
    assert.match(
      String((await search('TPU v5')).next),
      /^No offer that could be read fits now, and 3 could not be read\. Leave out/,
    );
    assert.equal((await search('H100')).next, undefined);
  });

  it('reads that there may be more, where a full page was read, those included that were not understood', async () => {
    skipping(64 - names.length);
    assert.match(String((await search('H100')).next), /^Only 64 offers were read, the cheapest first\./);
    skipping(63 - names.length);
    assert.equal((await search('H100')).next, undefined);
  });
});
