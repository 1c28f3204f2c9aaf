/** A GPU as the market names it, with the maker's figures. */
export interface GpuModel {
  readonly name: string;
  /** MB that the driver reports. */
  readonly ramMb: number;
  /** Dollars an hour for one, in the middle of the market. */
  readonly price: number;
  /** Deep-learning score of one. */
  readonly dlperf: number;
  readonly tflops: number;
  /** GB/s. */
  readonly memoryBandwidth: number;
  readonly watts: number;
  /** Compute capability × 100. */
  readonly computeCap: number;
  readonly pciGen: 3 | 4 | 5;
  /** GB/s between two; 0 without. */
  readonly nvlink: number;
  /** Machines are built with these many. */
  readonly counts: readonly [number, ...number[]];
  readonly datacenter: boolean;
  /** How common it is. */
  readonly weight: number;
}

type Row = readonly [
  name: string,
  ramMb: number,
  price: number,
  dlperf: number,
  tflops: number,
  memoryBandwidth: number,
  watts: number,
  computeCap: number,
  pciGen: 3 | 4 | 5,
  nvlink: number,
  counts: readonly [number, ...number[]],
  datacenter: boolean,
  weight: number,
];

const rows: readonly Row[] = [
  ['B200', 183359, 4.1, 1150, 75, 6900, 1000, 1000, 5, 900, [8], true, 2],
  ['H200', 143771, 2.45, 690, 66.9, 4800, 700, 900, 5, 450, [4, 8], true, 4],
  ['H100 SXM', 81559, 1.95, 620, 66.9, 3350, 700, 900, 5, 450, [4, 8], true, 7],
  ['H100 NVL', 95830, 1.75, 520, 60.3, 3938, 400, 900, 5, 300, [2, 4], true, 3],
  ['H100 PCIE', 81559, 1.6, 450, 51.2, 2000, 350, 900, 5, 0, [1, 2, 4], true, 4],
  ['A100 SXM4', 81920, 0.92, 245, 19.5, 2039, 400, 800, 4, 300, [4, 8], true, 7],
  ['A100 PCIE', 40960, 0.68, 205, 19.5, 1555, 250, 800, 4, 0, [1, 2, 4], true, 5],
  ['L40S', 46068, 0.62, 188, 91.6, 864, 350, 890, 4, 0, [1, 2, 4, 8], true, 6],
  ['L40', 46068, 0.55, 150, 90.5, 864, 300, 890, 4, 0, [1, 4], true, 2],
  ['L4', 23034, 0.28, 62, 30.3, 300, 72, 890, 4, 0, [1, 2, 4], true, 3],
  ['A40', 46068, 0.36, 88, 37.4, 696, 300, 860, 4, 0, [1, 2, 4], true, 4],
  ['Tesla V100', 32768, 0.17, 52, 15.7, 900, 300, 700, 3, 150, [1, 4, 8], true, 4],
  ['Tesla T4', 15360, 0.11, 26, 8.1, 320, 70, 750, 3, 0, [1, 2], true, 3],
  ['RTX PRO 6000 WS', 97887, 1.05, 270, 125, 1792, 600, 1200, 5, 0, [1, 2, 4], false, 3],
  ['RTX 6000Ada', 49140, 0.66, 165, 91.1, 960, 300, 890, 4, 0, [1, 2, 4, 8], false, 5],
  ['RTX A6000', 49140, 0.41, 95, 38.7, 768, 300, 860, 4, 56, [1, 2, 4, 8], false, 8],
  ['RTX A5000', 24564, 0.2, 68, 27.8, 768, 230, 860, 4, 56, [1, 2, 4], false, 6],
  ['RTX A4000', 16376, 0.12, 44, 19.2, 448, 140, 860, 4, 0, [1, 2, 4, 8], false, 5],
  ['RTX 5090', 32607, 0.48, 190, 104.8, 1792, 575, 1200, 5, 0, [1, 2, 4, 8], false, 12],
  ['RTX 5080', 16303, 0.24, 112, 56.3, 960, 360, 1200, 5, 0, [1, 2], false, 4],
  ['RTX 5070 Ti', 16303, 0.18, 92, 43.9, 896, 300, 1200, 5, 0, [1, 2], false, 3],
  ['RTX 4090', 24564, 0.35, 98, 82.6, 1008, 450, 890, 4, 0, [1, 2, 4, 8], false, 26],
  ['RTX 4080', 16376, 0.21, 74, 48.7, 717, 320, 890, 4, 0, [1, 2], false, 5],
  ['RTX 4070 Ti', 12282, 0.15, 58, 40.1, 504, 285, 890, 4, 0, [1, 2], false, 4],
  ['RTX 4060 Ti', 16380, 0.1, 38, 22.1, 288, 165, 890, 4, 0, [1, 2], false, 4],
  ['RTX 3090', 24576, 0.18, 62, 35.6, 936, 350, 860, 4, 56, [1, 2, 4, 6, 8], false, 20],
  ['RTX 3090 Ti', 24564, 0.2, 68, 40, 1008, 450, 860, 4, 56, [1, 2], false, 4],
  ['RTX 3080', 10240, 0.11, 46, 29.8, 760, 320, 860, 4, 0, [1, 2, 4], false, 7],
  ['RTX 3070', 8192, 0.08, 33, 20.3, 448, 220, 860, 4, 0, [1, 2, 4, 8], false, 6],
  ['RTX 3060', 12288, 0.07, 25, 12.7, 360, 170, 860, 4, 0, [1, 2, 4, 6], false, 9],
  ['RTX 2080 Ti', 11264, 0.09, 29, 13.4, 616, 250, 750, 3, 50, [1, 2, 4], false, 5],
  ['GTX 1080 Ti', 11264, 0.06, 16, 11.3, 484, 250, 610, 3, 0, [1, 2, 4], false, 3],
];

export const gpuModels: readonly GpuModel[] = rows.map(
  ([
    name,
    ramMb,
    price,
    dlperf,
    tflops,
    memoryBandwidth,
    watts,
    computeCap,
    pciGen,
    nvlink,
    counts,
    datacenter,
    weight,
  ]) => ({
    name,
    ramMb,
    price,
    dlperf,
    tflops,
    memoryBandwidth,
    watts,
    computeCap,
    pciGen,
    nvlink,
    counts,
    datacenter,
    weight,
  }),
);
