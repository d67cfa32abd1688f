"""The wheel has programs, so it is one of a platform, but for every Python 3. scripts/wheel.py names the platform."""
from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class WithPrograms(Distribution):
    def has_ext_modules(self):
        return True


class ForEveryPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=WithPrograms, cmdclass={"bdist_wheel": ForEveryPython})
