import { Chart } from 'chart.js';
import { drawChart } from '../../../src/webview/report/page/chart';
import type { ChartView } from '../../../src/webview/report/protocol';
import type { DrawnGeometry } from './geometry';

const words = { loading: '', showTable: '', savePicture: '', median: 'Median', sortHint: '' };

/** Draws as the report page does and reads back what came of it. */
function draw(view: ChartView): Promise<DrawnGeometry> {
  const root = document.getElementById('root');
  root?.replaceChildren(drawChart('test', 'Test', view, words, () => undefined).element);
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        resolve(read(view));
      });
    });
  });
}

function read(view: ChartView): DrawnGeometry {
  const chart = Chart.getChart(document.querySelector('canvas') ?? '');
  const horizontal = view.kind === 'boxPlot';
  const value = chart?.scales[horizontal ? 'x' : 'y'];
  const category = chart?.scales[horizontal ? 'y' : 'x'];
  if (!chart || !value || !category) {
    throw new Error('Nothing was drawn');
  }
  const bars = chart.data.datasets.flatMap((dataset, series) =>
    chart.getDatasetMeta(series).data.map((element, index) => {
      const { x, y, base } = element.getProps(['x', 'y', 'base'], true) as {
        x: number;
        y: number;
        base: number;
      };
      const ends = [base, horizontal ? x : y].map((pixel) => value.getValueForPixel(pixel) ?? Number.NaN);
      return {
        series: dataset.label ?? '',
        index,
        from: Math.min(...ends),
        to: Math.max(...ends),
      };
    }),
  );
  const labels = category.getLabelItems();
  const size = (text: string | string[]) => (horizontal ? 12 : chart.ctx.measureText(String(text)).width);
  let overlaps = 0;
  labels.forEach((item, index) => {
    const next = labels[index + 1];
    if (!next) {
      return;
    }
    const [a, b] = [item, next].map(({ options }) => options.translation?.[horizontal ? 1 : 0] ?? 0);
    if (
      a !== undefined &&
      b !== undefined &&
      Math.abs(b - a) < (size(item.label) + size(next.label)) / 2 - 1
    ) {
      overlaps += 1;
    }
  });
  return { bars, overlaps, width: chart.width };
}

Object.assign(globalThis, { draw });
