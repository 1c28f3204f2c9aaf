import assert from 'node:assert/strict';
import { engineGpu, modelsNamed, sameNamed } from '../../../../../src/jobs/model/export/gpuNames';
import { knownGpuModels } from '../../../../../src/model/offers/gpuModels';

/**
 * Names of the market, of SkyPilot and of dstack: skypilot-org/skypilot-catalog, catalogs/v8/vast/vms.csv, and
 * dstackai/gpuhunt, src/gpuhunt/providers/vastai.py.
 */
const table = `
RTX 3090|RTX3090|RTX3090
RTX 4090|RTX4090|RTX4090
RTX 5090|RTX5090|RTX5090
RTX 3090 Ti|RTX3090|RTX3090Ti
RTX 5070 Ti|RTX5070|RTX5070Ti
RTX 4090D|RTX4090|RTX4090D
RTX 4080S|RTX4080|RTX4080S
RTX 4070S Ti|RTX4070|RTX4070STi
RTX A4000|RTXA4000|A4000
RTX A6000|RTXA6000|A6000
RTX 4000Ada|RTX4000-Ada|RTX4000Ada
RTX 6000Ada|RTX6000-Ada|RTX6000Ada
RTX PRO 6000 S|RTXPRO6000S|RTXPRO6000S
RTX PRO 6000 WS|RTXPRO6000WS|RTXPRO6000WS
A100 PCIE|A100|A100
A100 SXM4|A100|A100
H100 PCIE|H100|H100
H100 SXM|H100|H100
H100 NVL|H100|H100NVL
H200 NVL|H200|H200NVL
H200|H200|H200
B200|B200|B200
L40S|L40S|L40S
A10|A10|A10
Tesla T4|T4|T4
Tesla V100|V100|V100
Q RTX 6000|RTX6000|QRTX6000
Q RTX 8000|RTX8000|QRTX8000
GTX 1080 Ti|GTX1080|GTX1080Ti`;

describe('the name of a GPU in another engine', () => {
  for (const row of table.trim().split('\n')) {
    const [market = '', skypilot, dstack] = row.split('|');
    it(`is ${String(skypilot)} and ${String(dstack)} for ${market}`, () => {
      assert.deepEqual([engineGpu('skypilot', market), engineGpu('dstack', market)], [skypilot, dstack]);
    });
  }

  it('leads back to each model with this name', () => {
    for (const engine of ['skypilot', 'dstack'] as const) {
      for (const model of knownGpuModels) {
        const name = engineGpu(engine, model) ?? '';
        assert.ok(modelsNamed(engine, name).includes(model), `${engine}: ${model}`);
        assert.deepEqual(modelsNamed(engine, name), sameNamed(engine, model));
      }
    }
    assert.deepEqual(modelsNamed('skypilot', 'TPU'), ['TPU']);
  });

  it('is none for a text that would mean more in the file', () => {
    for (const name of ['', 'RTX 4090:8', 'a\nb', '1', '{}', 'RTX_4090', '机']) {
      assert.equal(engineGpu('skypilot', name), undefined, name);
      assert.equal(engineGpu('dstack', name), undefined, name);
    }
  });
});
