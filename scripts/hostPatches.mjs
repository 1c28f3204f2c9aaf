/**
 * Changes to the text of the browser-hosted workbench, each bringing it closer to the desktop editor. They fit the
 * version in `host.json`; the server stops with the patch's name when one does not fit any more.
 */
export const patches = {
  /** The driver that in-host suites need switches pop-up notifications off. */
  toasts: [
    [
      '!this.isNotificationsCenterVisible&&!this.environmentService.enableSmokeTestDriver&&',
      '!this.isNotificationsCenterVisible&&',
    ],
  ],

  /** Each page keeps its own copy of the secrets; the desktop's windows share them and hear of each other's changes. */
  sharedSecrets: [
    [
      'this._secretStorageProvider=t.options.secretStorageProvider,this._embedderSequencer=new sv)',
      'this._secretStorageProvider=t.options.secretStorageProvider,this._embedderSequencer=new sv,' +
        'globalThis.addEventListener("storage",async z=>{if(z.key!=="secrets.provider")return;' +
        'let p=this._secretStorageProvider,u=async v=>v?JSON.parse(await p.crypto.unseal(v)):{},a=await u(z.oldValue);' +
        'p.secretsPromise=p.load();let b=await u(z.newValue);' +
        'for(let k of new Set([...Object.keys(a),...Object.keys(b)]))if(a[k]!==b[k])this.onDidChangeSecretEmitter.fire(k)}))',
    ],
  ],

  /** Opening a folder of another remote drops the remote's name; the desktop keeps it. */
  authority: [
    [
      'remoteAuthority:location.host',
      'remoteAuthority:new URLSearchParams(location.search).get("authority")||location.host',
    ],
    [
      'encodeWorkspacePath(o){return this.config.remoteAuthority&&o.scheme===J.vscodeRemote?encodeURIComponent(`${Vo.sep}${Aw(o.path,Vo.sep)}`).replaceAll("%2F","/"):encodeURIComponent(o.toString(!0))}',
      'encodeWorkspacePath(o){let q=o.scheme===J.vscodeRemote&&o.authority!==location.host?"&authority="+encodeURIComponent(o.authority):"";' +
        'return this.config.remoteAuthority&&o.scheme===J.vscodeRemote&&!q?encodeURIComponent(`${Vo.sep}${Aw(o.path,Vo.sep)}`).replaceAll("%2F","/"):encodeURIComponent(o.toString(!0))+q}',
    ],
    [
      'get userRoamingDataHome(){return ze(P.file(this.userDataPath).with({scheme:J.vscodeRemote}),"User")}',
      'get userRoamingDataHome(){return location.search.includes("authority=")?P.file("/User").with({scheme:J.vscodeUserData}):ze(P.file(this.userDataPath).with({scheme:J.vscodeRemote}),"User")}',
    ],
  ],
};

/** Applies the named patches; throws when a text is not found. */
export function applyPatches(text, names) {
  let patched = text;
  for (const name of names) {
    for (const [from, to] of patches[name]) {
      if (!patched.includes(from))
        throw new Error(`The patch "${name}" does not fit this version of the editor.`);
      patched = patched.split(from).join(to);
    }
  }
  return patched;
}
