// Dark or light: the system's choice until the button is pressed.
const root = document.documentElement;
const themeListeners = [];
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches;
const themeChanged = () => themeListeners.forEach(listener => listener());
document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  themeChanged();
});
systemDark.addEventListener("change", themeChanged);
