/**
 * Changes to the text of the browser-hosted workbench, most of them bringing it closer to the desktop editor. They fit
 * the version in `host.json`; the server stops with the patch's name when one does not fit any more.
 */
export const patches = {
  /** The driver that in-host suites need switches pop-up notifications off. */
  toasts: [
    [
      '!this.isNotificationsCenterVisible&&!this.environmentService.enableSmokeTestDriver&&',
      '!this.isNotificationsCenterVisible&&',
    ],
  ],

  /** A pop-up stays until it is closed: how fast the machine is that runs the tests decides nothing then. */
  lastingToasts: [
    [
      'PURGE_TIMEOUT={[Et.Info]:1e4,[Et.Warning]:12e3,[Et.Error]:15e3}',
      'PURGE_TIMEOUT={[Et.Info]:1e9,[Et.Warning]:1e9,[Et.Error]:1e9}',
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

  /** After "sharedSecrets": lets a test stand between the editor and what keeps the secrets. */
  secretStore: [
    [
      'this._secretStorageProvider=t.options.secretStorageProvider,',
      'this._secretStorageProvider=globalThis.secretStoreFor?.(t.options.secretStorageProvider)' +
        '??t.options.secretStorageProvider,',
    ],
  ],

  /** Rows of quick picks are used again, with texts of the row before in parts that are hidden; nobody sees those. */
  rowTexts: [
    [
      'else i.detail.element.style.display="none";n.separator?.label?',
      'else i.detail.element.style.display="none",i.detail.setLabel("");n.separator?.label?',
    ],
    [
      ':i.separator.style.display="none",i.entry.classList.toggle("quick-input-list-separator-border",!!n.separator&&n.childIndex!==0)',
      ':(i.separator.style.display="none",i.separator.textContent=""),i.entry.classList.toggle("quick-input-list-separator-border",!!n.separator&&n.childIndex!==0)',
    ],
  ],

  /**
   * A tree knows only in the next turn that it has lost the focus. One that was refreshed in this turn takes it back,
   * which closes the list that has just opened: seldom for a user, now and then for a test on a busy machine.
   */
  treeFocus: [
    [
      'this.updateContentAreas(),this.focused&&this.focus(!1)',
      'this.updateContentAreas(),this.focused&&this.domNode.contains(document.activeElement)&&this.focus(!1)',
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

  /** With "authority": a window on an SSH host works, on this computer instead; the desktop has an extension for it. */
  sshWindow: [
    [
      'get expectsResolverExtension(){return!!this.options.remoteAuthority?.includes("+")&&!this.options.webSocketFactory}',
      'get expectsResolverExtension(){return!1}',
    ],
    [
      'c,port:l}=oMo(e,a),u={authority:{authority:e,',
      'c,port:l}=oMo(e.includes("+")?lt.location.host:e,a),u={authority:{authority:e,',
    ],
    [
      'location.search.includes("authority=")?P.file("/User").with({scheme:J.vscodeUserData}):ze(P.file(this.userDataPath)',
      'ze(P.file(this.userDataPath)',
    ],
  ],
};

/** Changes to the process that extensions run in, always made. */
export const extensionHostPatches = [
  // The desktop runs the extension beside the user, where folders of a remote window keep its address.
  [
    'get workspaceFolders(){return r.getWorkspaceFolders()}',
    'get workspaceFolders(){let q=t.remote.authority,f=r.getWorkspaceFolders();' +
      'return q?.includes("+")&&P.identifier.value==="gpu-rental.gpu-rental"?' +
      'f?.map(z=>({...z,uri:z.uri.with({scheme:"vscode-remote",authority:q})})):f}',
  ],
];

/** Applies the named patches; throws when a text is not found. */
export function applyPatches(text, names) {
  let patched = text;
  for (const name of names) {
    patched = apply(patched, patches[name], name);
  }
  return patched;
}

/** Applies the changes to the process of the extensions. */
export function applyExtensionHostPatches(text) {
  return apply(text, extensionHostPatches, 'extension host');
}

function apply(text, changes, name) {
  let patched = text;
  for (const [from, to] of changes) {
    if (!patched.includes(from))
      throw new Error(`The patch "${name}" does not fit this version of the editor.`);
    patched = patched.split(from).join(to);
  }
  return patched;
}
