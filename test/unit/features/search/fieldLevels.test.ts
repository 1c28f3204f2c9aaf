import assert from 'node:assert/strict';
import type { ListLevel, LevelRow } from '../../../../src/editor/quickLevels';
import { fieldLevel } from '../../../../src/features/search/fieldLevels';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { fieldKeys, type FieldKey, type Filters } from '../../../../src/model/offers/searchFields';
import { only } from '../../../support/only';

describe('The levels of the filters', () => {
  let filters: Filters;
  let pops: number;
  const level = (key: FieldKey, before: Filters = {}): ListLevel => {
    filters = before;
    pops = 0;
    const picker = { pop: () => (pops += 1) };
    const editor = {
      query: { ...defaultQuery, filters: before },
      gpuNames: ['RTX 4090', 'H100'],
      count: '',
      set: (query: { readonly filters: Filters }) => {
        ({ filters } = query);
      },
    };
    return fieldLevel(key, only(picker), editor) as ListLevel;
  };
  const labels = (rows: readonly LevelRow[]) => rows.map(({ label }) => label).join(', ');

  it('propose what is usual for each number, in its unit and its natural direction', () => {
    const proposed = fieldKeys.flatMap((key) => {
      const { rows, followsTyping } = level(key);
      return followsTyping ? `${key}: ${labels(rows(''))}` : [];
    });
    assert.deepEqual(proposed, [
      'gpuCount: Any, Exactly 1, Exactly 2, Exactly 4, Exactly 8',
      'gpuRamGb: Any, At least 8 GB, At least 12 GB, At least 16 GB, At least 24 GB, At least 40 GB, At least 48 GB, At least 80 GB',
      'gpuTotalRamGb: Any, At least 24 GB, At least 48 GB, At least 96 GB, At least 160 GB, At least 320 GB, At least 640 GB',
      'pricePerHour: Any, At most $0.20, At most $0.40, At most $0.60, At most $1.00, At most $2.00, At most $4.00',
      'minBid: Any',
      'reliability: Any, At least 90 %, At least 95 %, At least 98 %, At least 99 %, At least 99.5 %',
      'cuda: Any, At least 11.8, At least 12.1, At least 12.4, At least 12.6, At least 12.8, At least 13',
      'computeCapability: Any, At least 7.5, At least 8, At least 8.6, At least 8.9, At least 9, At least 10, At least 12',
      'driver: Any',
      'ports: Any, At least 1, At least 2, At least 4, At least 10, At least 20',
      'cpuCores: Any, At least 4, At least 8, At least 16, At least 32',
      'cpuGhz: Any',
      'ramGb: Any, At least 16 GB, At least 32 GB, At least 64 GB, At least 128 GB, At least 256 GB',
      'diskGb: Any, At least 50 GB, At least 100 GB, At least 200 GB, At least 500 GB, At least 1000 GB',
      'diskSpeed: Any',
      'downMbit: Any, At least 100 Mbit/s, At least 250 Mbit/s, At least 500 Mbit/s, At least 1000 Mbit/s',
      'upMbit: Any, At least 100 Mbit/s, At least 250 Mbit/s, At least 500 Mbit/s, At least 1000 Mbit/s',
      'downPerGb: Any',
      'upPerGb: Any',
      'storagePerGbMonth: Any',
      'days: Any, At least 1 day, At least 3 days, At least 7 days, At least 30 days',
      'dlperf: Any',
      'value: Any',
      'teraflops: Any',
      'teraflopsPerDollar: Any',
      'gpuShare: Any',
      'gpuBandwidth: Any',
      'nvlink: Any',
      'pcie: Any',
      'pcieGeneration: Any',
      'gpuWatts: Any',
      'gpuCelsius: Any',
      'gpuMaker: Any',
      'cpuKind: Any',
      'machine: Any',
      'host: Any',
      'cluster: Any',
      'mainboard: Any',
      'system: Any',
    ]);
  });

  it('accept what is typed, and change that filter alone', () => {
    const before: Filters = { gpuCount: { min: 2 }, verified: true };
    const typed = (key: FieldKey, text: string, at = 0) => {
      const row = level(key, before).rows(text)[at];
      row?.run?.();
      assert.equal(row?.alwaysShow, true);
      return [row.label, filters, pops];
    };
    assert.deepEqual(typed('gpuRamGb', '24'), [
      'At least 24 GB',
      { gpuCount: { min: 2 }, verified: true, gpuRamGb: { min: 24 } },
      1,
    ]);
    assert.deepEqual(typed('pricePerHour', '0.5'), [
      'At most $0.50',
      { gpuCount: { min: 2 }, verified: true, pricePerHour: { max: 0.5 } },
      1,
    ]);
    assert.deepEqual(typed('gpuCount', '4'), [
      'Exactly 4',
      { verified: true, gpuCount: { min: 4, max: 4 } },
      1,
    ]);
    assert.deepEqual(typed('gpuCount', '2-8'), [
      '2 – 8',
      { verified: true, gpuCount: { min: 2, max: 8 } },
      1,
    ]);
    assert.deepEqual(typed('gpuCount', 'many'), ['Enter a number.', before, 0]);
    level('gpuCount', before).rows('')[0]?.run?.();
    assert.deepEqual([filters, pops], [{ verified: true }, 1]);
  });

  it('ask of what is or is not whether it matters, and begin at the present answer', () => {
    for (const [value, id] of [
      [true, 'yes'],
      [false, 'no'],
      [undefined, 'any'],
    ] as const) {
      const { activeId, rows } = level('verified', value === undefined ? {} : { verified: value });
      assert.equal(activeId?.(), id);
      assert.equal(labels(rows('')), 'Yes, No, Does Not Matter');
    }
    const answers = [0, 1, 2].map((at) => {
      level('verified', { verified: true }).rows('')[at]?.run?.();
      return [filters, pops];
    });
    assert.deepEqual(answers, [
      [{ verified: true }, 1],
      [{ verified: false }, 1],
      [{}, 1],
    ]);
  });

  it('tick GPUs and places, with a region for all of its countries and names that are not listed', () => {
    const gpu = level('gpu', { gpu: { oneOf: ['Odd GPU'] } });
    assert.deepEqual([labels(gpu.rows('')), gpu.many?.ticked], ['Odd GPU, RTX 4090, H100', ['Odd GPU']]);
    gpu.many?.accept(['H100']);
    assert.deepEqual([filters, pops], [{ gpu: { oneOf: ['H100'] } }, 1]);
    level('gpu', { gpu: { oneOf: ['H100'] } }).many?.accept([]);
    assert.deepEqual(filters, {});
    const place = level('country');
    assert.match(labels(place.rows('')), /^European Union, Europe, /);
    place.many?.accept(['region:nordics', 'SE', 'JP']);
    const { oneOf = [] } = filters.country ?? {};
    assert.equal(oneOf.filter((code) => code === 'SE').length, 1);
    assert.ok(
      ['DK', 'FI', 'IS', 'NO', 'SE', 'JP'].every((code) => oneOf.includes(code)),
      oneOf.join(),
    );
  });

  it('show an exclusion as a ticked row, and drop it only if that is unticked', () => {
    const before: Filters = { country: { noneOf: ['US'] }, machine: { noneOf: ['7'] } };
    const chosen = (...ticked: readonly string[]) => {
      level('country', before).many?.accept(ticked);
      return filters.country;
    };
    const { rows, many } = level('country', before);
    assert.deepEqual([rows('')[0]?.label, many?.ticked], ['not United States', ['excluded']]);
    assert.deepEqual(chosen('excluded'), { noneOf: ['US'] });
    assert.deepEqual(chosen('excluded', 'SE'), { oneOf: ['SE'], noneOf: ['US'] });
    assert.deepEqual([chosen('SE'), chosen()], [{ oneOf: ['SE'] }, undefined]);
    level('machine', before).rows('9')[0]?.run?.();
    assert.deepEqual(filters.machine, { oneOf: ['9'], noneOf: ['7'] });
    level('machine', before).rows('')[0]?.run?.();
    assert.equal(filters.machine, undefined, 'Any is said in so many words');
  });
});
