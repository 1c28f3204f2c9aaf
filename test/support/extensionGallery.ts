import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { repository } from './installed';

/** Pages may ask other servers over HTTPS only, and are answered in the browser. */
const address = 'https://gallery.test';
const manifestType = 'Microsoft.VisualStudio.Code.Manifest';

/** For the environment of an editor whose windows find their extensions in the gallery of a test. */
export const withGallery = { EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: address }) };

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly version: string;
}

/**
 * A gallery with one extension, named by its folder under `test/`, for the windows of a profile. The server of the editor
 * reads its files where they are; a page reads them where they also are, since it may not ask there
 * (`extensionGalleryService.ts` of VS Code 1.139). Ends by its result.
 */
export async function openGallery(
  profile: BrowserContext,
  folder: string,
  vsix: string,
): Promise<() => void> {
  const manifest = readFileSync(path.join(repository, 'test', folder, 'package.json'), 'utf8');
  const server = http.createServer(({ url }, response) => {
    response.writeHead(200).end(url?.endsWith(manifestType) === true ? manifest : readFileSync(vsix));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const one = extension(JSON.parse(manifest) as Manifest, `http://127.0.0.1:${port}`);
  await profile.route(`${address}/**`, async (route) => {
    const request = route.request();
    const isAsked = new RegExp(`"${one.publisher.publisherName}.${one.extensionName}"`, 'i');
    const found = isAsked.test(request.postData() ?? '') ? [one] : [];
    const counts = [{ name: 'TotalCount', count: found.length }];
    const results = [
      { extensions: found, resultMetadata: [{ metadataType: 'ResultCount', metadataItems: counts }] },
    ];
    await route.fulfill({
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
      contentType: 'application/json',
      body: request.url().endsWith(manifestType) ? manifest : JSON.stringify({ results }),
    });
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

function extension({ name, publisher, version }: Manifest, server: string) {
  const date = '2026-01-01T00:00:00.000Z';
  const files = [
    { assetType: manifestType, source: `${server}/${manifestType}` },
    { assetType: 'Microsoft.VisualStudio.Services.VSIXPackage', source: `${server}/package.vsix` },
  ];
  const properties = [
    { key: 'Microsoft.VisualStudio.Code.Engine', value: '^1.105.0' },
    { key: 'Microsoft.VisualStudio.Code.ExtensionKind', value: 'workspace' },
  ];
  const assets = { assetUri: address, fallbackAssetUri: server };
  return {
    ...{ extensionId: '6f6d3c1c-0d9c-4c7e-9c39-6b1a7c9c0c01', extensionName: name, displayName: name },
    publisher: {
      publisherId: '6f6d3c1c-0d9c-4c7e-9c39-6b1a7c9c0c02',
      publisherName: publisher,
      displayName: publisher,
    },
    versions: [{ version, lastUpdated: date, ...assets, files, properties }],
    ...{ shortDescription: '', flags: 'validated, public', categories: [], tags: [], statistics: [] },
    ...{ releaseDate: date, publishedDate: date, lastUpdated: date },
  };
}
