import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  ScatterController,
  Tooltip,
  type ChartConfiguration,
  type ChartDataset,
  type Plugin,
} from 'chart.js';
import type { ChartView, ReportView } from '../protocol';
import { element, themeColor } from './dom';
import { pointsConfiguration, walkable } from './points';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  ScatterController,
  Tooltip,
);

export interface DrawnChart {
  readonly element: HTMLElement;
  /** The picture as base64, on the background of the theme. */
  png(): string;
  dispose(): void;
}

/** The part of a chart that does not depend on its kind. */
type Drawing = Pick<Chart, 'canvas' | 'destroy'>;
type BoxView = Extract<ChartView, { kind: 'boxPlot' }>;
type SeriesView = Exclude<ChartView, { kind: 'boxPlot' | 'points' }>;

// Not the orange of charts: some dark themes make it nearly as dark as the page.
const seriesColors = ['charts-blue', 'charts-yellow', 'charts-green', 'charts-purple', 'charts-red'];
const fallbackColors = ['#3794ff', '#cca700', '#89d185', '#b180d7', '#f14c4c'];
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
/** Height of one box with its name (px). */
const boxRowPx = 24;

/** Draws a chart on a canvas; the table beside it has the numbers for screen readers. `open` opens a row of that. */
export function drawChart(
  id: string,
  title: string,
  view: ChartView,
  words: ReportView['words'],
  open: (row: string) => void,
): DrawnChart {
  const canvas = element('canvas', { role: 'img', 'aria-label': title, id: `chart-${id}` });
  const frame = element('div', { class: `chart ${view.kind}` }, canvas);
  if (view.kind === 'boxPlot') {
    frame.style.height = `${Math.max(160, view.boxes.length * boxRowPx + 60)}px`;
  }
  const chart = chartOf(canvas, view, words, open);
  return {
    element: frame,
    png: () => picture(chart),
    dispose: () => {
      chart.destroy();
    },
  };
}

function chartOf(
  canvas: HTMLCanvasElement,
  view: ChartView,
  words: ReportView['words'],
  open: (row: string) => void,
): Drawing {
  switch (view.kind) {
    case 'boxPlot':
      return new Chart(canvas, boxConfiguration(view, words));
    case 'points': {
      const chart = new Chart(canvas, pointsConfiguration(view, { ...ink(), series: seriesColor }, open));
      walkable(chart, view, open);
      return chart;
    }
    case 'lines':
    case 'stackedColumns':
      return new Chart(canvas, seriesConfiguration(view));
  }
}

function ink(): { readonly text: string; readonly grid: string } {
  return {
    text: themeColor('foreground', '#888888'),
    grid: themeColor('editorWidget-border', 'rgba(128,128,128,0.3)'),
  };
}

function seriesColor(index: number): string {
  const slot = index % seriesColors.length;
  return themeColor(seriesColors[slot] ?? 'charts-blue', fallbackColors[slot] ?? '#3794ff');
}

/** No animation, for users with reduced motion and for screenshots. */
const still = { animation: false, responsive: true, maintainAspectRatio: false } as const;

function seriesConfiguration(view: SeriesView): ChartConfiguration<'bar' | 'line', (number | null)[]> {
  const { text, grid } = ink();
  const stacked = view.kind === 'stackedColumns';
  const datasets: ChartDataset<'bar' | 'line', (number | null)[]>[] = view.series.map((series, index) => ({
    label: series.name,
    data: series.values,
    backgroundColor: seriesColor(index),
    borderColor: seriesColor(index),
    borderWidth: stacked ? 0 : 2,
    // Lines differ by more than their colour.
    ...(stacked
      ? {}
      : {
          pointRadius: view.categories.length > 60 ? 0 : 2,
          borderDash: dashes[index % dashes.length] ?? [],
        }),
  }));
  return {
    type: stacked ? 'bar' : 'line',
    data: { labels: view.categories, datasets },
    options: {
      ...still,
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: { labels: { color: text } }, tooltip: { enabled: true } },
      scales: {
        x: { stacked, ticks: { color: text, autoSkip: true, maxRotation: 0 }, grid: { display: false } },
        y: {
          stacked,
          beginAtZero: true,
          ...(view.unit === '%' ? { suggestedMax: 100 } : {}),
          title: { display: true, text: view.unit, color: text },
          ticks: { color: text },
          grid: { color: grid },
        },
      },
    },
  };
}

/** Two floating bars for each box: thin from low to high, thick between the quartiles; the median on top. */
function boxConfiguration(
  view: BoxView,
  words: ReportView['words'],
): ChartConfiguration<'bar', [number, number][]> {
  const { text, grid } = ink();
  const color = seriesColor(0);
  return {
    type: 'bar',
    data: {
      labels: view.boxes.map((box) => box.name),
      datasets: [
        {
          label: 'p10–p90',
          data: view.boxes.map((box): [number, number] => [box.low, box.high]),
          backgroundColor: themeColor('descriptionForeground', '#888888'),
          barThickness: 3,
          grouped: false,
          order: 2,
        },
        {
          label: 'p25–p75',
          data: view.boxes.map((box): [number, number] => [box.lower, box.upper]),
          backgroundColor: color,
          barThickness: 12,
          grouped: false,
          order: 1,
        },
      ],
    },
    options: {
      ...still,
      indexAxis: 'y',
      plugins: {
        legend: { labels: { color: text } },
        tooltip: {
          callbacks: { afterBody: ([item]) => medianLine(view, item?.dataIndex, words.median) },
        },
      },
      scales: {
        x: {
          beginAtZero: true,
          title: { display: true, text: view.unit, color: text },
          ticks: { color: text },
          grid: { color: grid },
        },
        y: { ticks: { color: text, autoSkip: false }, grid: { display: false } },
      },
    },
    plugins: [boxMarks(view, text)],
  };
}

function medianLine(view: BoxView, index: number | undefined, word: string): string {
  const box = index === undefined ? undefined : view.boxes[index];
  return box ? `${word}: ${String(box.middle)} ${view.unit}` : '';
}

/** Draws the median as a line across its box, and the user's own value as a diamond. */
function boxMarks(view: BoxView, color: string): Plugin<'bar'> {
  return {
    id: 'boxMarks',
    afterDatasetsDraw: (chart) => {
      const { ctx, scales } = chart;
      const x = scales['x'];
      const y = scales['y'];
      if (!x || !y) {
        return;
      }
      ctx.save();
      view.boxes.forEach((box, index) => {
        const middleX = x.getPixelForValue(box.middle);
        const middleY = y.getPixelForValue(index);
        ctx.fillStyle = color;
        ctx.fillRect(middleX - 1, middleY - 8, 2, 16);
        if (box.mark) {
          const markX = x.getPixelForValue(box.mark.value);
          ctx.fillStyle = seriesColor(1);
          ctx.beginPath();
          ctx.moveTo(markX, middleY - 7);
          ctx.lineTo(markX + 6, middleY);
          ctx.lineTo(markX, middleY + 7);
          ctx.lineTo(markX - 6, middleY);
          ctx.closePath();
          ctx.fill();
        }
      });
      ctx.restore();
    },
  };
}

function picture(chart: Drawing): string {
  const copy = document.createElement('canvas');
  copy.width = chart.canvas.width;
  copy.height = chart.canvas.height;
  const context = copy.getContext('2d');
  if (!context) {
    return '';
  }
  context.fillStyle = themeColor('editor-background', '#ffffff');
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(chart.canvas, 0, 0);
  return copy.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
