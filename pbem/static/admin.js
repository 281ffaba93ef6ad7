// Passkeys: asks the server what is to be signed, lets the browser sign it, and sends the answer with
// the form that was pressed. Nothing is sent without that press.
"use strict";

(() => {
  const forms = document.querySelectorAll("form.passkey");
  if (!window.PublicKeyCredential || !navigator.credentials) return;

  forms.forEach((form) => {
    form.hidden = false;
    form.parentElement.querySelector("[data-without-script]").hidden = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer(form);
    });
  });

  async function answer(form) {
    const button = form.querySelector("button");
    const trouble = form.querySelector("[data-trouble]");
    trouble.hidden = true;
    button.disabled = true;
    try {
      const credential = await ask(form.dataset.ceremony, await question(form));
      form.elements.credential.value = JSON.stringify(spelled(credential));
      form.submit();
    } catch {
      trouble.hidden = false;
      button.disabled = false;
      button.focus();
    }
  }

  async function question(form) {
    const body = new URLSearchParams({ csrf: form.elements.csrf.value });
    const reply = await fetch(form.dataset.challenge, { method: "POST", body });
    if (!reply.ok) throw new Error("no challenge");
    return reply.json();
  }

  function ask(ceremony, options) {
    options.challenge = bytes(options.challenge);
    for (const list of [options.allowCredentials, options.excludeCredentials]) {
      for (const known of list || []) known.id = bytes(known.id);
    }
    if (options.user) options.user.id = bytes(options.user.id);
    return navigator.credentials[ceremony]({ publicKey: options });
  }

  // --- the spelling that the server reads --------------------------------------------------------

  const PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

  function spelled(credential) {
    const response = {};
    for (const part of PARTS) {
      if (credential.response[part]) response[part] = text(credential.response[part]);
    }
    return { id: credential.id, rawId: text(credential.rawId), type: credential.type, response };
  }

  function bytes(spelling) {
    const plain = atob(spelling.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  }

  function text(buffer) {
    const plain = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }
})();
