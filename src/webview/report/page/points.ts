import type { Chart, ChartConfiguration } from 'chart.js';
import type { ChartView } from '../protocol';

type PointsView = Extract<ChartView, { kind: 'points' }>;
interface Colors {
  readonly text: string;
  readonly grid: string;
  readonly series: (index: number) => string;
}

/** Series differ by more than their colour. */
const shapes = ['triangle', 'circle'] as const;

export function pointsConfiguration(
  view: PointsView,
  { text, grid, series }: Colors,
  open: (row: string) => void,
): ChartConfiguration<'scatter', { x: number; y: number }[]> {
  const axis = (title: string) => ({
    beginAtZero: true,
    title: { display: true, text: title, color: text },
    ticks: { color: text },
    grid: { color: grid },
  });
  return {
    type: 'scatter',
    data: {
      datasets: view.series.map(({ name, points }, index) => ({
        label: name,
        data: points.map(({ x, y }) => ({ x, y })),
        backgroundColor: series(index),
        borderColor: series(index),
        pointStyle: shapes[index % shapes.length] ?? 'circle',
        pointRadius: index === 0 ? 6 : 4,
        pointHoverRadius: 9,
        pointHitRadius: 8,
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      plugins: {
        legend: { labels: { color: text, usePointStyle: true } },
        tooltip: {
          usePointStyle: true,
          callbacks: {
            label: ({ datasetIndex, dataIndex }) => pointAt(view, datasetIndex, dataIndex)?.label ?? '',
          },
        },
      },
      scales: { x: axis(view.xTitle), y: axis(view.unit) },
      onClick: (_, [first]) => {
        const point = first && pointAt(view, first.datasetIndex, first.index);
        if (point) {
          open(point.row);
        }
      },
    },
  };
}

function pointAt(
  view: PointsView,
  series: number,
  index: number,
): PointsView['series'][number]['points'][number] | undefined {
  return view.series[series]?.points[index];
}

/**
 * Lets the keyboard walk over the points from left to right and open one. A slider is the role with which screen readers
 * hand on the arrow keys and announce the point.
 */
export function walkable(chart: Chart, view: PointsView, open: (row: string) => void): void {
  const { canvas } = chart;
  const stops = view.series
    .flatMap(({ points }, datasetIndex) => points.map((point, index) => ({ point, datasetIndex, index })))
    .sort((a, b) => a.point.x - b.point.x);
  let at = 0;
  const show = () => {
    const stop = stops[at];
    if (stop) {
      canvas.setAttribute('aria-valuenow', String(at + 1));
      canvas.setAttribute('aria-valuetext', stop.point.label);
      const { datasetIndex, index } = stop;
      const element = chart.getDatasetMeta(datasetIndex).data[index];
      if (!element) {
        // A chart that was just drawn again, with the focus on it, has no points before its first layout.
        return;
      }
      const active = [{ datasetIndex, index, element }];
      chart.setActiveElements(active);
      chart.tooltip?.setActiveElements(active, { x: 0, y: 0 });
      chart.update();
    }
  };
  const steps: Readonly<Record<string, () => number>> = {
    ArrowRight: () => at + 1,
    ArrowUp: () => at + 1,
    ArrowLeft: () => at - 1,
    ArrowDown: () => at - 1,
    Home: () => 0,
    End: () => stops.length - 1,
  };
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'slider');
  canvas.setAttribute('aria-valuemin', '1');
  canvas.setAttribute('aria-valuemax', String(stops.length));
  canvas.setAttribute('aria-valuenow', '1');
  canvas.setAttribute('aria-valuetext', stops[0]?.point.label ?? '');
  canvas.addEventListener('focus', show);
  canvas.addEventListener('keydown', (event) => {
    const stop = stops[at];
    const step = steps[event.key];
    if (step) {
      at = Math.min(Math.max(step(), 0), stops.length - 1);
      show();
      event.preventDefault();
    } else if (event.key === 'Enter' && stop) {
      open(stop.point.row);
    }
  });
}
