/**
 * Draws `media/icon.png`, the picture shown in the list of extensions: the graphics card of the activity bar icon
 * on a dark tile. Shapes are signed distances in units of a 24 × 24 grid, so that edges come out smooth.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

const size = 256;
const grid = 24;
/** Room between the tile's edge and the card, in pixels. */
const margin = 36;

const roundedBox = (x, y, left, top, width, height, radius) => {
  const dx = Math.abs(x - left - width / 2) - width / 2 + radius;
  const dy = Math.abs(y - top - height / 2) - height / 2 + radius;
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
};
const segment = (x, y, x1, y1, x2, y2) => {
  const length2 = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const along = Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length2));
  return Math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1));
};
const circle = (x, y, cx, cy, radius) => Math.abs(Math.hypot(x - cx, y - cy) - radius);

/** Distance to the middle of the nearest line of the card. */
function card(x, y) {
  return Math.min(
    segment(x, y, 2.75, 4, 2.75, 20),
    Math.abs(roundedBox(x, y, 2.75, 6.25, 18.5, 10, 1.75)),
    circle(x, y, 9.25, 11.25, 2.75),
    ...[9.25, 11.25, 13.25].map((line) => segment(x, y, 15.25, line, 18.25, line)),
    segment(x, y, 6.5, 16.25, 6.5, 18.75),
    segment(x, y, 6.5, 18.75, 14.5, 18.75),
    segment(x, y, 14.5, 18.75, 14.5, 16.25),
    segment(x, y, 9.25, 16.5, 9.25, 18.5),
    segment(x, y, 11.75, 16.5, 11.75, 18.5),
  );
}

const mix = (from, to, share) => from.map((value, i) => value + (to[i] - value) * share);
/** How much of a pixel lies inside a shape, from its distance in pixels. */
const cover = (distance) => Math.min(1, Math.max(0, 0.5 - distance));

function pixel(column, row) {
  const [px, py] = [column + 0.5, row + 0.5];
  const tile = cover(roundedBox(px, py, 0, 0, size, size, 52));
  const scale = (size - 2 * margin) / grid;
  const [x, y] = [(px - margin) / scale, (py - margin) / scale];
  let colour = mix([22, 62, 50], [10, 24, 21], py / size);
  const hub = cover((Math.hypot(x - 9.25, y - 11.25) - 0.9) * scale);
  const line = cover((card(x, y) - 0.62) * scale);
  colour = mix(colour, mix([134, 255, 196], [46, 214, 149], y / grid), Math.max(line, hub));
  return [...colour.map(Math.round), Math.round(tile * 255)];
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** The picture as a PNG file. */
export function drawIcon() {
  const rows = [];
  for (let row = 0; row < size; row++) {
    rows.push(0, ...Array.from({ length: size }, (_, column) => pixel(column, row)).flat());
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  writeFileSync(path.join(root, 'media', 'icon.png'), drawIcon());
}
