import { bytesRead, lazyChunks } from '../support/bundleSize';
import { packagedExtension } from '../support/editorHost';
import { readZip } from '../support/zip';
import { kilobytes, type Figure } from './figure';

/** What the package weighs, and how much of it is read when. */
export function measureSizes(): Figure[] {
  const entries = readZip(packagedExtension);
  const packed = (isCounted: (name: string) => boolean) =>
    entries.filter(({ name }) => isCounted(name)).reduce((sum, { packedBytes }) => sum + packedBytes, 0);
  const entry =
    entries
      .find(({ name }) => name === 'extension/dist/extension.js')
      ?.read()
      .toString('utf8') ?? '';
  const product = Math.max(...lazyChunks(entry).map((chunk) => bytesRead(entries, chunk)));
  return [
    {
      name: 'code read at activation',
      value: kilobytes(bytesRead(entries, 'extension.js')),
      aim: '< 150 KB',
    },
    { name: 'code read when it is first used', value: kilobytes(product) },
    {
      name: 'VSIX without pictures',
      value: kilobytes(packed((name) => !/\.(png|svg)$/.test(name))),
      aim: '< 900 KB',
    },
    { name: 'server for agents over MCP', value: kilobytes(bytesRead(entries, 'mcp.js')), aim: '< 40 KB' },
    {
      name: 'server for agents over MCP, packed',
      value: kilobytes(packed((name) => name === 'extension/dist/mcp.js')),
    },
    { name: 'VSIX', value: kilobytes(packed(() => true)) },
  ];
}
