/** Which lines of a source ran, from what V8 counted in its compiled text. */
'use strict';
const { TraceMap, eachMapping } = require('@jridgewell/trace-mapping');

/**
 * By source, as the map names it, the lines, from 1, whose compiled text ran at least once. `functions` is V8's precise coverage with
 * blocks, where an inner range overrules the range around it; the map is the one that Node found for the text.
 */
exports.reachedLines = function reachedLines(functions, { payload, lineLengths }) {
  const starts = [0];
  for (const length of lineLengths) starts.push(starts.at(-1) + length + 1);
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const lines = new Map();
  const open = [];
  let next = 0;
  eachMapping(new TraceMap(payload), ({ generatedLine, generatedColumn, source, originalLine }) => {
    const offset = starts[generatedLine - 1] + generatedColumn;
    for (; next < ranges.length && ranges[next].startOffset <= offset; next += 1) open.push(ranges[next]);
    while (open.length > 0 && open.at(-1).endOffset <= offset) open.pop();
    if (originalLine === null || !(open.at(-1)?.count > 0)) return;
    if (!lines.has(source)) lines.set(source, new Set());
    lines.get(source).add(originalLine);
  });
  return new Map([...lines].map(([source, own]) => [source, [...own]]));
};
