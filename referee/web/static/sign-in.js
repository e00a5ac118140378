"use strict";
const pin = document.getElementById("pin"), form = document.getElementById("sign-in");

async function comeIn() {
  const { ok, error } = await post("/sign-in", { pin: pin.value });
  if (ok) location.replace("/");
  else { document.getElementById("trouble").textContent = error; pin.select(); }
}

form.addEventListener("submit", event => { event.preventDefault(); comeIn(); });
if (/^#\d+$/.test(location.hash)) {  // from the QR code
  pin.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  comeIn();
} else pin.focus();
