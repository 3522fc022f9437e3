"use strict";
(function () {
  var form = document.getElementById("filters"), rows = document.querySelectorAll("#skills tbody tr"), shown = document.getElementById("shown");
  if (!form) return;
  function apply() {
    var text = form.elements.text.value.toLowerCase(), tier = form.elements.tier.value, license = form.elements.license.value, state = form.elements.state.value, count = 0;
    rows.forEach(function (row) {
      var fits = (!text || row.textContent.toLowerCase().indexOf(text) >= 0) && (!tier || row.dataset.tier === tier) &&
        (!license || row.dataset.license === license) && (!state || row.dataset.state.split(" ").indexOf(state) >= 0);
      row.hidden = !fits;
      if (fits) count++;
    });
    shown.textContent = count + " of " + rows.length + " shown";
  }
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  apply();
})();
