import { bytesRead, lazyChunks } from '../support/bundleSize';
import { packagedExtension } from '../support/editorHost';
import { readZip } from '../support/zip';
import { sized, type Figure } from './figure';

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
    sized('code read at activation', bytesRead(entries, 'extension.js'), '< 150 KB'),
    sized('code read when it is first used', product),
    sized(
      'VSIX without pictures',
      packed((name) => !/\.(png|svg)$/.test(name)),
      '< 1,500 KB',
    ),
    sized('server for agents over MCP', bytesRead(entries, 'mcp.js'), '< 500 KB'),
    sized(
      'server for agents over MCP, packed',
      packed((name) => name === 'extension/dist/mcp.js'),
    ),
    sized(
      'VSIX',
      packed(() => true),
    ),
  ];
}
